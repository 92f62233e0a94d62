package scenarios

// Over is the settings with every field that is not given taken from below. A
// thinking budget goes with the thinking that it is for.
func (s SettingsSpec) Over(below SettingsSpec) SettingsSpec {
	out := below
	if s.Effort != "" {
		out.Effort = s.Effort
	}
	if s.Thinking != "" {
		out.Thinking = s.Thinking
	}
	if s.ThinkingBudget != 0 {
		out.ThinkingBudget = s.ThinkingBudget
	}
	if out.Thinking != "enabled" {
		out.ThinkingBudget = 0
	}
	if s.ToolChoice != "" {
		out.ToolChoice = s.ToolChoice
	}
	return out
}

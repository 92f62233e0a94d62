-- Schema 17: bodies of requests tell of settings that lines of sessions do not name.
UPDATE recorded_causes SET meaning = 'a setting that is in no block was another, such as thinking, effort, speed or tool_choice' WHERE cause = 'settings';

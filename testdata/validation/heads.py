#!/usr/bin/env python3
"""Judges the commits of a git repository: which of them lengthen by over 2 %, or reorder,
what the repository puts in front of an agent of Claude Code. Which of the client's tools an agent has
counts where a definition or the settings changed it.

    heads.py REPOSITORY [MOST]

Prints a line for each of the last MOST (200) commits that touch CLAUDE.md, AGENTS.md, agents,
skills, MCP servers or settings, or a file that these import, oldest first, against its first parent:

    COMMIT PARENT WAS IS VERDICT

WAS and IS are characters of the head that grew most. It is a reading of its own of the client's
documentation, from git's objects alone: it shares nothing with the program whose verdicts are
held against it.
"""
import collections
import json
import posixpath as path
import re
import subprocess
import sys

LIMIT = 2  # per cent
TOUCHED = [":(glob)**/" + p for p in ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", ".claude/**", ".mcp.json",
                                      "agents/**/*.md", "skills/**/*.md", "skills/*")]
LISTING = 40_000  # characters of skills: 1 % of a window of a million tokens
DESCRIPTION = 1_536
HOPS = 4
UNKNOWN = (10, 900)  # tools of a server that nobody has listed, and characters of one
# Characters of the client's tools that stand in front of agents without a team, by a definition of today's program. Sub-agents have
# none of STEERING, but for who plans.
STEERING = {"TaskOutput": 816, "EnterPlanMode": 586, "ExitPlanMode": 563, "AskUserQuestion": 1414, "TaskStop": 477}
TOOLS = {"Agent": 1749, "Read": 1032, "Grep": 1617, "Glob": 769, "Edit": 1029, "Skill": 533, "Write": 585, "NotebookEdit": 924,
         "Bash": 1500, "WebFetch": 658, "WebSearch": 654, "TodoWrite": 1103} | STEERING
BACKGROUND = {"Read", "Grep", "Glob", "Edit", "Write", "NotebookEdit", "Bash", "Skill", "WebFetch", "WebSearch", "TodoWrite"}
SCOPES, KEEPS, KEPT_WITH = ("user", "project", "local"), 265, {"Read", "Write", "Edit"}  # of memory: characters of the prompt, tools


def git(repo, *args):
    return subprocess.run(["git", "-C", repo, *args], check=True, capture_output=True).stdout


class Tree:
    """The files of a commit, by path; links are followed inside of it."""

    def __init__(self, repo, commit):
        self.objects, self.files, self.dirs, self.read = repo, {}, {"": set()}, set()
        for line in git(repo.dir, "ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0"):
            if line:
                about, name = line.split(b"\t", 1)
                name = name.decode("utf-8", "surrogateescape")
                self.files[name] = about.split()[0:3:2]
                while name:
                    up, base = path.split(name)
                    known = up in self.dirs
                    self.dirs.setdefault(up, set()).add(base)
                    if known:
                        break
                    name = up

    def real(self, name, hops=40):
        """Where a path leads: a file's or directory's own path, None for nowhere."""
        at = ""
        parts = [p for p in name.split("/") if p not in ("", ".")]
        while parts:
            if parts[0] == "..":
                if not at:
                    return None
                at, parts = path.dirname(at), parts[1:]
                continue
            at, parts = path.join(at, parts[0]), parts[1:]
            if at in self.files and self.files[at][0] == b"120000":
                target = self.objects.blob(self.files[at][1])
                hops -= 1
                if target is None or target.startswith(b"/") or hops < 0:
                    return None
                parts = target.decode("utf-8", "surrogateescape").split("/") + parts
                parts = [p for p in parts if p not in ("", ".")]
                at = path.dirname(at)
            elif at not in self.files and at not in self.dirs:
                return None
        return at

    def there(self, name):
        return self.real(name) in self.files

    def list(self, name):
        return sorted(self.dirs.get(self.real(name) if name else "", ()))

    def below(self, name, suffix, above=()):
        """The files below a directory, links followed."""
        out, here = [], self.real(name)
        for base in self.list(name):
            at = path.join(name, base)
            real = self.real(at)
            if real in self.files and base.endswith(suffix):
                out.append(at)
            elif real in self.dirs and real not in above:
                out += self.below(at, suffix, (*above, here))
        return out

    def text(self, name):
        """A file's text, None for one that is not there or is no UTF-8."""
        real = self.real(name)
        if real not in self.files:
            return None
        self.read.add(real)
        raw = self.objects.blob(self.files[real][1])
        if raw is None or b"\0" in raw or len(raw) > 4 << 20:
            return None
        try:
            return raw.decode("utf-8").removeprefix("\ufeff").replace("\r\n", "\n")
        except UnicodeDecodeError:
            return None


class Objects:
    """Blobs of a repository."""

    def __init__(self, where):
        self.dir, self.kept = where, {}
        self.cat = subprocess.Popen(["git", "-C", where, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def blob(self, sha):
        if sha not in self.kept:
            self.cat.stdin.write(sha + b"\n")
            self.cat.stdin.flush()
            head = self.cat.stdout.readline().split()
            if head[1] == b"missing":
                self.kept[sha] = None
            else:
                self.kept[sha] = self.cat.stdout.read(int(head[2]))
                self.cat.stdout.read(1)
        return self.kept[sha]


def frontmatter(text):
    """The fields of a Markdown file, None where it has none, and what follows them."""
    found = re.match(r"---[ \t]*\n(.*?\n)?---[ \t]*(\n|$)", text, re.S)
    if not found:
        return None, text
    fields, key = {}, None
    for line in (found[1] or "").split("\n"):
        new = re.match(r"([A-Za-z][\w-]*):(?:[ \t]+(.*))?$", line)
        if new:
            key = new[1]
            fields[key] = [new[2] or ""]
        elif key:
            fields[key].append(line)
    return {k: scalar(v) for k, v in fields.items()}, text[found.end():]


def scalar(lines):
    first, rest = lines[0].strip(), [s.strip() for s in lines[1:]]
    if re.fullmatch(r"[|>][+-]?\d*", first):
        return ("\n" if first[0] == "|" else " ").join(rest).strip()
    whole = " ".join([first] + rest).strip()
    if re.match(r"[\[-]", whole) and not whole.startswith("---"):
        return [w.strip().strip("\"'") for w in re.split(r",|(?:^|\s)- ", whole.strip("[]")) if w.strip()]
    if len(whole) > 1 and whole[0] == whole[-1] and whole[0] in "\"'":
        whole = whole[1:-1]
        return whole.replace('\\"', '"').replace("\\n", "\n") if lines[0].strip()[0] == '"' else whole.replace("''", "'")
    return re.sub(r"\s+#.*$", "", whole)


def words(field):
    """A list of names: YAML's, or with commas."""
    if field is None:
        return None
    return field if isinstance(field, list) else [w.strip() for w in field.split(",") if w.strip()]


def remembered(text):
    """What is sent of a memory file, and what it imports."""
    _, body = frontmatter(text)
    kept, imports, fence, comment = [], [], None, False
    for line in body.split("\n"):
        bare = line.strip()
        if fence:
            if re.fullmatch(re.escape(fence[0]) + "{%d,}" % len(fence), bare):
                fence = None
            kept.append(line)
            continue
        if comment or bare.startswith("<!--"):
            inside = line if comment else bare[4:]
            comment = "-->" not in inside
            if comment or not inside.split("-->", 1)[1].strip():
                continue
            line = inside.split("-->", 1)[1]
            bare = line.strip()
        found = re.match(r"(`{3,}|~{3,})", bare)
        if found:
            fence = found[1]
            kept.append(line)
            continue
        plain = re.sub(r"`[^`]*(`|$)", " ", line)
        imports += re.findall(r"(?:^|(?<=\s))@((?:\\ |[^\s@\"'])+)", plain)
        kept.append(line)
    return "\n".join(kept).strip("\n"), [i.replace("\\ ", " ").rstrip(".,;:!?)") for i in imports]


class Head:
    """What a commit puts in front of agents."""

    def __init__(self, tree):
        self.tree = tree
        self.settings = {}
        for name in (".claude/settings.local.json", ".claude/settings.json"):
            try:
                read = json.loads(tree.text(name) or "{}")
            except ValueError:
                read = {}
            for key, value in read.items() if isinstance(read, dict) else ():
                mine = self.settings.setdefault(key, value)
                if mine is not value and isinstance(mine, list) and isinstance(value, list):
                    self.settings[key] = mine + value
                if mine is not value and isinstance(mine, dict) and isinstance(value, dict):
                    self.settings[key] = {**value, **mine}
        env = self.settings.get("env")
        self.env = env if isinstance(env, dict) else {}
        self.memory = [] if self.on("CLAUDE_CODE_DISABLE_CLAUDE_MDS") else self.memories()
        self.skills = self.skill_list()
        self.agents = self.agent_list()
        self.front, self.servers = self.server_list()

    def on(self, name):
        return str(self.env.get(name, "0")).lower() not in ("", "0", "false")

    def memories(self):
        out, seen, tree = [], set(), self.tree

        def take(name, hops):
            text = tree.text(name)
            if text is None or name in seen:
                return
            seen.add(name)
            kept, imports = remembered(text)
            if kept.strip():
                out.append((name, kept))
            for i in imports:
                to = path.normpath(path.join(path.dirname(name), i))
                if hops and not i.startswith(("/", "~")) and not to.startswith("../"):
                    take(to, hops - 1)

        own = [n for n in ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md") if tree.there(n)]
        if not own:
            take("AGENTS.md", HOPS)
        take("CLAUDE.md", HOPS)
        take(".claude/CLAUDE.md", HOPS)
        for name in tree.below(".claude/rules", ".md"):
            fields, _ = frontmatter(tree.text(name) or "")
            if not fields or "paths" not in fields:
                take(name, HOPS)
        take("CLAUDE.local.md", HOPS)
        return out

    def skill_list(self):
        out, names, left = [], set(), LISTING
        found = [(d, f".claude/skills/{d}/SKILL.md") for d in self.tree.list(".claude/skills")]
        found += [(n[len(".claude/commands/"):-3].replace("/", ":"), n) for n in self.tree.below(".claude/commands", ".md")]
        for name, file in found:
            text = self.tree.text(file)
            if text is None:
                continue
            fields, body = frontmatter(text)
            fields = fields or {}
            if fields.get("disable-model-invocation") == "true":
                continue
            if file.endswith("/SKILL.md"):
                name = fields.get("name") or name
            about = fields.get("description") or body.strip().split("\n")[0].strip()
            about = " ".join(str(about).split())[:DESCRIPTION]
            if name in names:
                continue
            names.add(name)
            left -= len(about)
            out.append((file, f"- {name}: {about}" if about and left >= 0 else f"- {name}"))
        return out

    def agent_list(self):
        out = {}
        for file in self.tree.below(".claude/agents", ".md"):
            fields, body = frontmatter(self.tree.text(file) or "")
            if fields and fields.get("name") and fields.get("description"):
                out[fields["name"]] = (file, fields, body.strip("\n"))
        return dict(sorted(out.items(), key=lambda a: a[0].lower()))

    def server_list(self):
        """The tools of servers that stand in front, and those that do by name alone."""
        try:
            named = json.loads(self.tree.text(".mcp.json") or "{}")["mcpServers"]
        except (ValueError, KeyError, TypeError):
            return [], []
        front, names = [], []
        enabled, disabled = self.settings.get("enabledMcpjsonServers"), self.settings.get("disabledMcpjsonServers") or []
        for name in sorted(named):
            if name in disabled or enabled is not None and name not in enabled:
                continue
            for i in range(UNKNOWN[0]):
                tool = f"mcp__{name}__tool_{i+1}"
                if self.env.get("ENABLE_TOOL_SEARCH") == "false" or isinstance(named[name], dict) and named[name].get("alwaysLoad"):
                    front.append((tool, "x" * UNKNOWN[1]))
                else:
                    names.append((tool, tool))
        return front, names

    def heads(self):
        """By type of agent what stands in front of it, in order: (file or name, text)."""
        types = [(f, f"- {n}: {a['description']}") for n, (f, a, _) in self.agents.items()]
        out = {"main": self.front + self.memory + self.servers + types + self.skills,
               "Explore": self.front + self.servers + self.skills}
        for name, (file, fields, prompt) in self.agents.items():
            may, denied = listed(fields)

            def has(tool):
                return (may is None or tool in may) and tool not in denied

            mine = [t for t in self.front if has(t[0])] + [(file, prompt)]
            mine += [(file + " memory", "x" * KEEPS)] if fields.get("memory") in SCOPES else []
            mine += [] if fields.get("omitClaudeMd") == "true" else self.memory
            mine += [t for t in self.servers if has(t[0])]
            mine += types if "Agent" in self.tools(name) else []
            mine += self.skills if has("Skill") else []
            for skill in words(fields.get("skills")) or []:
                text = self.tree.text(f".claude/skills/{skill}/SKILL.md")
                mine += [(skill, frontmatter(text)[1].strip("\n"))] if text else []
            mine += [(file + " first", fields["initialPrompt"])] if isinstance(fields.get("initialPrompt"), str) else []
            out[name] = mine
        return out

    def tools(self, name):
        """The client's tools that a type of agent has."""
        permissions = self.settings.get("permissions")
        gone = (permissions.get("deny") if isinstance(permissions, dict) else None) or []
        out = set(TOOLS)
        if name != "main":
            fields = self.agents[name][1] if name in self.agents else {}
            out -= set(STEERING) - ({"ExitPlanMode"} if fields.get("permissionMode") == "plan" else set())
            may, denied = listed(fields)
            if may is not None:
                out &= may | (KEPT_WITH if fields.get("memory") in SCOPES else set())
            out -= denied
            if fields.get("background") == "true":
                out &= BACKGROUND
        return {t for t in out if t not in gone and (t != "Skill" or self.skills)}


def listed(fields):
    """The tools that a definition lists, None for all, and those that it denies."""
    may, denied = ({"Agent" if w == "Task" else w for w in (re.sub(r"\(.*", "", w) for w in words(fields.get(f)) or [])}
                   for f in ("tools", "disallowedTools"))
    return None if "*" in may or fields.get("tools", "") == "" else may, denied


def lines(head):
    return [l.strip() for _, text in head for l in text.split("\n")]


def turned(was, now):
    """Whether lines with a word in them that are once in both are in another order."""
    def once(all):
        n = collections.Counter(all)
        return {l for l in n if n[l] == 1 and any(c.isalnum() for c in l)}
    both = once(was) & once(now)
    return [l for l in was if l in both] != [l for l in now if l in both]


def judge(before, after):
    """The verdict on a commit, with the sizes of the head that grew most."""
    (was, had), (now, has) = before, after
    most, grew, reordered = None, False, False
    for name in now.keys() & was.keys():
        a, b = (sum(len(text) for _, text in h[name]) for h in (was, now))
        changed = had[name] ^ has[name]
        if "Skill" in had["main"] ^ has["main"]:
            changed -= {"Skill"}  # there are skills now, or none any more
        if changed:  # which of the client's tools there are is the definition's or the settings' word
            a += sum(TOOLS[t] for t in had[name])
            b += sum(TOOLS[t] for t in had[name] - changed | has[name] & changed)
        grew |= b * 100 > a * (100 + LIMIT)
        reordered |= turned(lines(was[name]), lines(now[name]))
        share = (b - a) / max(a, 1)
        if most is None or (share, a, b) > most:
            most = (share, a, b)
    return *most[1:], "+".join(["grew"] * grew + ["reordered"] * reordered) or "-"


def changes(where, touched, most):
    """The commits that touch some files, newest first, each with its first parent."""
    log = git(where, "log", "--full-history", "--diff-merges=first-parent", "-s", "--format=%H %P", "HEAD", "--", *touched)
    for line in log.decode().splitlines():
        commit, *parents = line.split()
        if most and parents and git(where, "diff-tree", "-r", "--no-renames", "--name-only", parents[0], commit, "--", *touched):
            most -= 1
            yield commit, parents[0]


def main(where, most=200):
    objects, known = Objects(where), {}

    def head(commit):
        if commit not in known:
            tree = Tree(objects, commit)
            of = Head(tree)
            heads = of.heads()
            known[commit] = (heads, {name: of.tools(name) for name in heads}), tree.read
        return known[commit]

    own = list(changes(where, TOUCHED, int(most)))
    used = {f for commit, _ in own for f in head(commit)[1]}  # files that others import, or link to
    for commit, parent in reversed(list(changes(where, TOUCHED + [":(literal)" + f for f in sorted(used)], int(most)))):
        print(commit, parent, *judge(head(parent)[0], head(commit)[0]), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

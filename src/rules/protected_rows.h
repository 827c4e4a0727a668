/* SPDX-License-Identifier: MIT */
/*
 * The table of protected names, for protected.c and for the program that compiles its patterns when cordon is
 * built (tools/make-globs.c).
 */
#pragma once

#include "rules/protected.h"

#define IN_GIT "**/*.git/" /* below any git directory */
#define AGENT_OBEYS "an agent obeys it"
#define AGENT_RUNS "an agent runs what it names"
#define AGENT_LED "it leads an agent to what it runs"
#define EDITOR_RUNS "an editor runs what it names"
#define STEPS "git carries it out when a rebase goes on"

static const struct protected_row {
	enum vet vet;
	bool in_git; /* below any git directory */
	bool self_only;
	const char *pattern;
	bool but_samples;
	const char *reason;
} protected_rows[] = {
	{VET_FOLDER, true, true, IN_GIT "hooks", false, "git runs what lies in it"},
	{VET_FOLDER, true, true, IN_GIT "modules/**/hooks", false, "git runs what lies in it"},
	{VET_FOLDER, true, true, IN_GIT "info", false, "what lies in it can make git run filters"},
	{VET_FOLDER, true, true, IN_GIT "modules/**/info", false,
	 "what lies in it can make git run filters"},
	{VET_NOTHING, true, false, IN_GIT "hooks/*", true, "git runs it"},
	{VET_NOTHING, true, false, IN_GIT "modules/**/hooks/*", true, "git runs it"},
	{VET_NOTHING, true, false, IN_GIT "info/attributes", false, "it can make git run filters"},
	{VET_NOTHING, true, false, IN_GIT "modules/**/info/attributes", false,
	 "it can make git run filters"},
	{VET_NOTHING, true, false, IN_GIT "remotes/*", false, "it leads git to another repository"},
	{VET_NOTHING, true, false, IN_GIT "branches/*", false,
	 "it leads git to another repository"},
	{VET_CONFIG, true, false, IN_GIT "config", false, "its keys can start programs"},
	{VET_CONFIG, true, false, IN_GIT "config.worktree", false, "its keys can start programs"},
	{VET_CONFIG, true, false, IN_GIT "modules/**/config", false, "its keys can start programs"},
	{VET_CONFIG, true, false, IN_GIT "worktrees/*/config.worktree", false,
	 "its keys can start programs"},
	{VET_GITDIR, true, false, IN_GIT "worktrees/*/gitdir", false, "it leads git elsewhere"},
	{VET_COMMONDIR, true, false, IN_GIT "worktrees/*/commondir", false,
	 "it leads git elsewhere"},
	{VET_COMMONDIR, true, false, IN_GIT "commondir", false, "it leads git elsewhere"},
	{VET_FOLDER, true, true, IN_GIT "rebase-merge", false, STEPS},
	{VET_FOLDER, true, true, IN_GIT "worktrees/*/rebase-merge", false, STEPS},
	{VET_FOLDER, true, true, IN_GIT "modules/**/rebase-merge", false, STEPS},
	{VET_FOLDER, true, true, IN_GIT "sequencer", false, STEPS},
	{VET_FOLDER, true, true, IN_GIT "worktrees/*/sequencer", false, STEPS},
	{VET_FOLDER, true, true, IN_GIT "modules/**/sequencer", false, STEPS},
	{VET_FOLDER, true, true, IN_GIT "rebase-apply", false, STEPS},
	{VET_FOLDER, true, true, IN_GIT "worktrees/*/rebase-apply", false, STEPS},
	{VET_FOLDER, true, true, IN_GIT "modules/**/rebase-apply", false, STEPS},
	{VET_STEPS, true, false, IN_GIT "rebase-apply/apply-opt", false, STEPS},
	{VET_STEPS, true, false, IN_GIT "worktrees/*/rebase-apply/apply-opt", false, STEPS},
	{VET_STEPS, true, false, IN_GIT "modules/**/rebase-apply/apply-opt", false, STEPS},
	{VET_STEPS, true, false, IN_GIT "rebase-merge/git-rebase-todo", false, STEPS},
	{VET_STEPS, true, false, IN_GIT "rebase-merge/strategy", false, STEPS},
	{VET_STEPS, true, false, IN_GIT "sequencer/opts", false, STEPS},
	{VET_STEPS, true, false, IN_GIT "worktrees/*/rebase-merge/git-rebase-todo", false, STEPS},
	{VET_STEPS, true, false, IN_GIT "worktrees/*/rebase-merge/strategy", false, STEPS},
	{VET_STEPS, true, false, IN_GIT "worktrees/*/sequencer/opts", false, STEPS},
	{VET_STEPS, true, false, IN_GIT "modules/**/rebase-merge/git-rebase-todo", false, STEPS},
	{VET_STEPS, true, false, IN_GIT "modules/**/rebase-merge/strategy", false, STEPS},
	{VET_STEPS, true, false, IN_GIT "modules/**/sequencer/opts", false, STEPS},
	{VET_POINTER, false, true, "**/.git", false, "it leads git elsewhere"},
	{VET_MODULES, false, false, "**/.gitmodules", false, "its keys can start programs"},
	{VET_NOTHING, false, false, "**/.envrc", false, "direnv runs it"},
	{VET_NOTHING, false, false, "**/.vscode", false, EDITOR_RUNS},
	{VET_NOTHING, false, false, "**/.idea", false, EDITOR_RUNS},
	{VET_NOTHING, false, false, "**/.zed", false, EDITOR_RUNS},
	{VET_NOTHING, false, false, "**/.claude", false, AGENT_OBEYS},
	{VET_NOTHING, false, false, "**/.codex", false, AGENT_OBEYS},
	{VET_NOTHING, false, false, "**/.cursor", false, AGENT_OBEYS},
	{VET_NOTHING, false, false, "**/.mcp.json", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/.gemini", false, AGENT_OBEYS},
	{VET_NOTHING, false, false, "**/.amp", false, AGENT_OBEYS},
	{VET_NOTHING, false, false, "**/.helix", false, EDITOR_RUNS},
	{VET_NOTHING, false, false, "**/.aider.conf.yml", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/.crush.json", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/crush.json", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/.opencode.json", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/opencode.json", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/opencode.jsonc", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/.continuerc.json", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/.opencode/plugin*", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/.opencode/tool*", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/.opencode/command*", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/.opencode/agent*", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/.kiro/settings", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/.kiro/hooks", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/.kiro/agents", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/.roo/mcp.json", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/.windsurf/hooks.json", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/.windsurf/mcp_config.json", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/.qwen/settings*", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/.qwen/hooks", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/.qwen/extensions", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/.qwen/commands", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/.qwen/agents", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/.continue/mcpServers", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/.factory/hooks*", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/.factory/settings*", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/.factory/mcp.json", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/.factory/commands", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/.factory/droids", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/.factory/plugins", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/.github/hooks", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/.clinerules/hooks", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/.kilocode/mcp.json", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/.trae/mcp.json", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/.junie/mcp", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/.pi/extensions", false, AGENT_RUNS},
	{VET_NOTHING, false, false, "**/.pi/settings.json", false, AGENT_RUNS},
	/* agents also write in these; a link in their place would lead to unprotected files */
	{VET_FOLDER, false, true, "**/.opencode", false, AGENT_LED},
	{VET_FOLDER, false, true, "**/.kiro", false, AGENT_LED},
	{VET_FOLDER, false, true, "**/.roo", false, AGENT_LED},
	{VET_FOLDER, false, true, "**/.windsurf", false, AGENT_LED},
	{VET_FOLDER, false, true, "**/.qwen", false, AGENT_LED},
	{VET_FOLDER, false, true, "**/.continue", false, AGENT_LED},
	{VET_FOLDER, false, true, "**/.factory", false, AGENT_LED},
	{VET_FOLDER, false, true, "**/.github", false, AGENT_LED},
	{VET_FOLDER, false, true, "**/.clinerules", false, AGENT_LED},
	{VET_FOLDER, false, true, "**/.kilocode", false, AGENT_LED},
	{VET_FOLDER, false, true, "**/.trae", false, AGENT_LED},
	{VET_FOLDER, false, true, "**/.junie", false, AGENT_LED},
	{VET_FOLDER, false, true, "**/.pi", false, AGENT_LED},
	{VET_NOTHING, false, false, "**/.cordon.json", false, "it is this project's policy"},
	{VET_NOTHING, false, true, "**/.cordon-*", false, "git is writing it"},
};

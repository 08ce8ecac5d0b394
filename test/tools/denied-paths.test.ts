import { expect, test } from 'vitest';
import { denialOf } from '../../src/runtime/permissions/denied-paths.ts';

test.each([
  '.git/config',
  '.GIT/hooks/pre-commit',
  'sub/.Git/HEAD',
  'GIT~1/config',
  'git~2/config',
  '.git',
  '.g\u200cit/config',
  '.git\u200b/config',
  '.git./config',
  '.git /config',
  '\uff0egit/config',
  '.hg/hgrc',
  '.svn/entries',
])('%j is inside version control', (path) => {
  expect(denialOf(path.split('/'))).toBe('version_control');
});

test.each([
  '.env',
  '.env.local',
  '.ENV',
  '.envrc',
  '.env.production',
  'deep/.env',
  'server.pem',
  'SERVER.KEY',
  'id_rsa',
  'id_rsa.pub',
  'id_ed25519_work',
  '.npmrc',
  '.netrc',
  '_netrc',
  'cert.p12',
  'cert.pfx',
  '.aws/credentials',
  '.ssh/config',
  'home/.ssh/known/x',
  '.docker/config.json',
  '.kube/config',
  '.gnupg/trustdb.gpg',
  '.git-credentials',
])('%j is taken for a secret', (path) => {
  expect(denialOf(path.split('/'))).toBe('secret');
});

test.each([
  '.gitignore',
  '.gitattributes',
  '.github/workflows/ci.yml',
  '.env.example',
  '.env.sample',
  '.env.template',
  '.env.local.example',
  'environment.ts',
  'src/key.ts',
  'keyboard.key.ts',
  '.aws/config',
  'docs/git~notes.md',
  'constructor/__proto__',
  'gitfoo',
  'id.ts',
])('%j is an ordinary path', (path) => {
  expect(denialOf(path.split('/'))).toBeUndefined();
});

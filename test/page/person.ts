import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';

/** Whoever runs the tests may have skills of their own: here their folder is an empty one. */
const person = mkdtempSync(path.join(tmpdir(), 'ledgerline-person-'));
process.env['HOME'] = person;
process.env['USERPROFILE'] = person;

afterAll(() => rmSync(person, { recursive: true, force: true }));

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings } from '../../base/settings.ts';
import { ingestCommand } from './ingest-command.ts';

const started = (program: string, env: Record<string, string> = {}) => ({
  program,
  directory: '/srv/model',
  env,
});

test('the command to ingest is called as the server was', () => {
  const settings = readSettings({});
  const commandOf = (...how: Parameters<typeof started>) => ingestCommand(settings, started(...how)).command;
  // npx citymodel serve, npm start
  const linked = '/srv/model/node_modules/.bin/citymodel';
  assert.equal(commandOf(linked, { npm_command: 'exec' }), 'npx citymodel ingest');
  assert.equal(commandOf('/srv/model/bin/citymodel.js', { npm_command: 'start' }), 'npx citymodel ingest');
  // The image and the systemd unit
  assert.equal(commandOf('/srv/model/bin/citymodel.js'), 'node bin/citymodel.js ingest');
  // Installed for all
  assert.equal(commandOf('/usr/local/bin/citymodel'), 'citymodel ingest');
  assert.equal(commandOf('/opt/other/bin/citymodel.js'), 'npx citymodel ingest');
});

test('names of settings are told where the server has others than the defaults, and no values', () => {
  const settings = readSettings({ DATA_DIR: '/srv/data', DATABASE_URL: 'postgres://u:p@db/c' });
  const hint = ingestCommand(settings, started('/usr/local/bin/citymodel'));
  assert.deepEqual(hint.settings, ['DATA_DIR', 'DATABASE_URL']);
  assert.doesNotMatch(JSON.stringify(hint), /srv|postgres:/);
  assert.deepEqual(ingestCommand(readSettings({}), started('')).settings, []);
});

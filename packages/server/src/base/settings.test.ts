import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { InvalidSettings, readSettings, SETTINGS } from './settings.ts';

test('without anything given there are defaults for everything', () => {
  const settings = readSettings({});
  assert.equal(settings.PORT, 8080);
  assert.equal(settings.PUBLIC_URL, 'http://localhost:8080');
  assert.equal(settings.ASSET_URL, 'http://localhost:8080/assets');
});

test('addresses follow from each other', () => {
  assert.equal(readSettings({ PORT: '9000' }).ASSET_URL, 'http://localhost:9000/assets');
  const settings = readSettings({ PORT: '9000', PUBLIC_URL: 'https://data.example.jp/base/' });
  assert.equal(settings.PUBLIC_URL, 'https://data.example.jp/base');
  assert.equal(settings.ASSET_URL, 'https://data.example.jp/base/assets');
  assert.equal(readSettings({ ASSET_URL: 'https://cms.example.jp/' }).ASSET_URL, 'https://cms.example.jp');
});

test('every mistake is named at once, with what is accepted', () => {
  assert.throws(
    () => readSettings({ PORT: '70000', LOG_LEVEL: 'loud', PUBLIC_URL: 'data.example.jp' }),
    (error) => {
      assert.ok(error instanceof InvalidSettings);
      assert.equal(error.mistakes.length, 3);
      assert.match(
        error.mistakes.join('\n'),
        /PORT is "70000", but it must be a whole number from 0 to 65535/,
      );
      assert.match(
        error.mistakes.join('\n'),
        /LOG_LEVEL is "loud", but it must be one of fatal, error, warn/,
      );
      assert.match(error.mistakes.join('\n'), /PUBLIC_URL is "data.example.jp", but it must be an address/);
      return true;
    },
  );
});

test('a file gives settings, the environment wins, unknown keys and broken files are mistakes', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'citymodel-settings-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'citymodel.json');
  writeFileSync(file, JSON.stringify({ PORT: 9001, LOG_LEVEL: 'warn' }));
  const settings = readSettings({ CONFIG_FILE: file, LOG_LEVEL: 'debug' });
  assert.equal(settings.PORT, 9001);
  assert.equal(settings.LOG_LEVEL, 'debug');
  writeFileSync(file, `\ufeff${JSON.stringify({ PORT: 9002 })}`);
  assert.equal(readSettings({ CONFIG_FILE: file }).PORT, 9002);
  writeFileSync(file, JSON.stringify({ PROT: 9001 }));
  assert.throws(() => readSettings({ CONFIG_FILE: file }), /unknown key PROT/);
  writeFileSync(file, '{');
  assert.throws(() => readSettings({ CONFIG_FILE: file }), /cannot be read as JSON/);
  assert.throws(() => readSettings({ CONFIG_FILE: join(directory, 'absent.json') }), /cannot be read/);
});

test('each kind of setting takes what it is and nothing else', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'citymodel-settings-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'citymodel.json');
  const read = (content: object) => {
    writeFileSync(file, JSON.stringify(content));
    return readSettings({ CONFIG_FILE: file });
  };
  for (const [value, expected] of [
    [81, 81],
    ['81', 81],
    [' 81 ', 81],
    ['8e1', 80],
    [0, 0],
    [65_535, 65_535],
  ] as const) {
    assert.equal(read({ PORT: value }).PORT, expected, String(value));
  }
  for (const value of [-1, 65_536, 80.5, '80.5', 'eighty', ' ', true, [80], {}]) {
    assert.throws(() => read({ PORT: value }), /PORT is .*, but it must be a whole number from 0 to 65535/);
  }
  assert.equal(read({ PACK_MATERIALISE: 'never' }).PACK_MATERIALISE, 'never');
  for (const value of ['sometimes', '', 1, ['never']]) {
    assert.throws(() => read({ PACK_MATERIALISE: value }), /must be one of auto, always, never/);
  }
  assert.throws(() => read({ HOST: '' }), /HOST is "", but it must be some text/);
  assert.throws(() => read({ HOST: 5 }), /HOST is 5, but it must be text/);
  assert.equal(read({ ATTRIBUTION: null }).ATTRIBUTION, '', 'null is not set');
  for (const value of ['ftp://a', 'http://', 'http://a/?b', 'http://a b']) {
    assert.throws(() => read({ PUBLIC_URL: value }), /must be an address/, value);
  }
});

test('lists and templates hold what their readers can use', () => {
  for (const [name, right, wrong] of [
    [
      'CMS_HOSTS',
      ['assets.example.jp', ' a.example.jp , b:8443,', 'localhost', '[::1]:80'],
      ['https://assets.example.jp', 'assets.example.jp/assets', 'a b', 'a:b', 'user@a'],
    ],
    [
      'TRUSTED_PROXIES',
      ['10.0.0.1', '127.0.0.0/8, 10.0.0.1', '::1', 'fd00::/8', 'loopback'],
      ['999.1.1.1', '10.0.0.0/33', '0.0.0.0/0', '10.0.0.0/', 'proxy.example.jp', '10.0.0.1,', '10.0.0.0/8/8'],
    ],
    [
      'BASE_MAP_URL',
      ['https://tiles.example.jp/{z}/{x}/{y}.png', 'https://tiles.example.jp/t?z={z}&x={x}&y={y}'],
      ['https://tiles.example.jp/', 'https://tiles.example.jp/{z}/{x}.png', 'tiles/{z}/{x}/{y}'],
    ],
  ] as const) {
    for (const value of right) assert.equal(readSettings({ [name]: value })[name], value);
    for (const value of wrong) {
      assert.throws(
        () => readSettings({ [name]: value }),
        (error) => error instanceof InvalidSettings && error.mistakes[0]!.startsWith(`${name} is "${value}"`),
        `${name} ${value}`,
      );
    }
  }
});

test('addresses take no user and password, and what is refused shows neither these nor a query', () => {
  for (const name of ['PUBLIC_URL', 'ASSET_URL', 'ASSET_REDIRECT', 'GEOCODER_URL']) {
    for (const value of [
      'https://user:s3cret@a.example/x',
      'https://a.example/x?key=s3cret',
      'https://a.example/#s3cret',
    ]) {
      assert.throws(
        () => readSettings({ [name]: value }),
        (error: Error) => error.message.includes(name) && !error.message.includes('s3cret'),
        `${name}=${value}`,
      );
    }
  }
});

test('every setting is as it is documented: its default, and the least and most that are accepted', () => {
  const page = readFileSync(new URL('../../../../docs/settings.md', import.meta.url), 'utf8');
  const rows = Array.from(page.matchAll(/^\| `([A-Z0-9_]+)` \| (\S+) \| ([^|]+) \|/gm), ([, ...row]) => row);
  assert.deepEqual(rows.map(([name]) => name).sort(), Object.keys(SETTINGS).sort());
  const defaults: Record<string, unknown> = readSettings({});
  for (const [name, value, accepted] of rows) {
    if (!name!.endsWith('_URL'))
      assert.equal(value === '(empty)' ? '' : value, ticked(defaults[name!]), name);
    const range = /^(-?\d+) to (\d+)$/.exec(accepted!);
    if (range === null) continue;
    const [least, most] = [Number(range[1]), Number(range[2])];
    for (const right of [least, most])
      assert.equal(readSettings({ [name!]: `${right}` })[name as 'PORT'], right);
    for (const wrong of [least - 1, most + 1]) {
      assert.throws(() => readSettings({ [name!]: `${wrong}` }), InvalidSettings, `${name}=${wrong}`);
    }
  }
});

function ticked(value: unknown): string {
  return value === '' ? '' : `\`${value}\``;
}

test('a text of one character is some text', () => {
  for (const [name, schema] of Object.entries(SETTINGS)) {
    if (!('minLength' in schema) || schema.pattern !== undefined || schema.accepts !== undefined) continue;
    assert.equal(schema.minLength, 1, name);
    assert.equal(readSettings({ [name]: 'a' })[name as 'HOST'], 'a');
  }
});

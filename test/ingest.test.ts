/** `citymodel ingest`, `list`, `remove`, `check` from outside. */
import assert from 'node:assert/strict';
import { copyFile, mkdir, open, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { here, runHere } from './support/here.ts';
import type { Catalogue, FileListResult } from './support/interface-schemas.ts';
import { GML, gml, goodPackage, PACKAGE, writeDirectory, writeZip } from './support/packages.ts';
import { type RunResult, removeDirectory, runProgram, tempDirectory } from './support/program.ts';
import { SAMPLE_TILES, writeSampleWithTiles } from './support/sample.ts';
import { startServer } from './support/server.ts';
import { assertClean, ingest, ingestOne, list } from './support/store.ts';

const renamed = (revision: number) => PACKAGE.replace('citygml_1', `citygml_${revision}`);

/** Names of all files below a directory but those that every store has. */
async function tree(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length))
    .filter((name) => !/catalogue\.sqlite|owner\.json/.test(name))
    .sort();
}

function fails(run: RunResult, code: number, pattern: RegExp): void {
  assert.equal(run.code, code, `${run.stdout}${run.stderr}`);
  assert.match(run.stdout + run.stderr, pattern);
  assert.doesNotMatch(run.stderr, /\n\s+at /, 'no stack trace');
}

describe('ingest', () => {
  it('is done once: the same package again changes nothing and says so', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    const zip = await writeZip(join(directory, `${PACKAGE}.zip`), goodPackage());
    const first = await ingestOne(data, [zip]);
    assert.equal(first.outcome, 'published');
    assert.deepEqual(first.issues, []);
    const { package: pkg } = first;
    assert.ok(pkg);
    assert.match(String(pkg.id), /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
    assert.deepEqual(
      { ...pkg, id: null, archiveSize: null, registrationYear: null },
      {
        id: null,
        name: PACKAGE,
        kind: 'citygml',
        pref: '沖縄県',
        city: '那覇市',
        cityCode: '47201',
        ward: null,
        wardCode: null,
        provider: 'city',
        year: 2023,
        registrationYear: null,
        spec: '4.0',
        revision: '1',
        types: ['bldg'],
        lod: null,
        texture: null,
        license: null,
        files: 1,
        features: 3,
        archiveSize: null,
      },
    );
    assert.deepEqual(first.guessed.sort(), ['registrationYear', 'spec']);
    const before = await tree(data);
    const again = await here.ingestOne(data, [zip]);
    assert.equal(again.outcome, 'unchanged');
    assert.equal(again.package?.id, pkg.id);
    assert.deepEqual(await tree(data), before);
    // The same content as a directory, and with a root directory, is the same package.
    const folder = await writeDirectory(join(directory, 'folder', PACKAGE), goodPackage());
    assert.equal((await here.ingestOne(data, [folder])).outcome, 'unchanged');
    const rooted = await writeZip(join(directory, 'rooted.zip'), goodPackage(), `${PACKAGE}/`);
    assert.equal((await here.ingestOne(data, [rooted])).outcome, 'unchanged');
    assert.deepEqual(await tree(data), before);
    const text = await runProgram(['ingest', zip], { DATA_DIR: data });
    assert.match(text.stdout, /is live already, nothing to do/);
    assert.deepEqual(
      (await list(data)).map(({ name }) => name),
      [PACKAGE],
    );
    await assertClean(data);
  });

  it('gives the same package the same URLs in another store', async (t) => {
    const directory = await tempDirectory(t);
    const zip = await writeZip(join(directory, `${PACKAGE}.zip`), goodPackage());
    const one = await ingestOne(join(directory, 'a'), [zip]);
    const other = await here.ingestOne(join(directory, 'b'), [zip]);
    assert.equal(one.package?.id, other.package?.id);
  });

  it('refuses an older revision and the same with other content, unless told to replace', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    const zips: string[] = [];
    for (const [revision, count] of [
      [1, 3],
      [2, 4],
      [3, 5],
    ] as const) {
      zips.push(await writeZip(join(directory, `${renamed(revision)}.zip`), goodPackage(count)));
    }
    assert.equal((await here.ingestOne(data, [zips[1]!])).outcome, 'published');
    const older = await ingest(data, [zips[0]!]);
    assert.equal(older.run.code, 1);
    assert.equal(older.reports[0]!.outcome, 'refused');
    assert.equal(older.reports[0]!.refusal?.code, 'OLDER_REVISION');
    assert.match(older.reports[0]!.refusal!.reason, /--replace/);
    await mkdir(join(directory, 'other'));
    const other = await writeZip(join(directory, 'other', `${renamed(2)}.zip`), goodPackage(6));
    const same = await here.ingest(data, [other]);
    assert.equal(same.run.code, 1);
    assert.equal(same.reports[0]!.refusal?.code, 'SAME_REVISION_OTHER_CONTENT');
    assert.equal((await here.list(data))[0]!.features, 4);
    await here.assertClean(data);
    assert.equal((await here.ingestOne(data, ['--replace', other])).outcome, 'replaced');
    assert.equal((await here.list(data))[0]!.features, 6);
    assert.equal((await here.ingestOne(data, [zips[2]!])).outcome, 'replaced');
    assert.equal((await here.ingestOne(data, ['--replace', zips[0]!])).outcome, 'replaced');
    assert.deepEqual(
      (await here.list(data)).map(({ name, features }) => [name, features]),
      [[renamed(1), 3]],
    );
    assert.equal((await here.list(data, ['--all'])).length, 4);
    await here.assertClean(data);
  });

  it('takes a package out of the wrong year, when told to replace', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    const zip = await writeZip(join(directory, `${PACKAGE}.zip`), goodPackage());
    const folder = await writeDirectory(join(directory, PACKAGE), goodPackage());
    const { year } = (await here.ingestOne(data, ['--year', '2001', zip])).package!;
    assert.equal(year, 2001);
    for (const again of [['--dry-run', zip], [zip], [folder]]) {
      const { run, reports } = await here.ingest(data, again);
      assert.equal(run.code, 1);
      assert.equal(reports[0]!.refusal?.code, 'SAME_CONTENT', again.join(' '));
      assert.match(reports[0]!.refusal!.reason, /2001; give --replace/);
    }
    await here.assertClean(data);
    for (const [right, years] of [
      [zip, []],
      [folder, ['--year', '2002']],
    ] as const) {
      assert.equal((await here.ingestOne(data, ['--replace', ...years, right])).outcome, 'replaced');
      assert.equal((await here.list(data)).length, 1);
      await here.assertClean(data);
    }
    assert.equal((await here.list(data))[0]!.year, 2002);
    const both = await here.ingestOne(data, ['--name', '47201_naha-shi_city_2003_citygml_1_op', zip]);
    assert.equal(both.outcome, 'published');
    assert.equal((await here.list(data)).length, 2);
  });

  it('replaces a revision in one step while requests go on', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    const zips: string[] = [];
    for (let revision = 1; revision <= 4; revision++) {
      zips.push(await writeZip(join(directory, `${renamed(revision)}.zip`), goodPackage(100 * revision)));
    }
    await here.ingestOne(data, [zips[0]!]);
    await using server = await startServer(data, { env: { CATALOGUE_POLL_MS: '50' } });
    let done = false;
    const seen = new Set<number>();
    const ask = async () => {
      while (!done) {
        const found = await server.json<FileListResult>('/datacatalog/citygml/47201');
        const [file] = found.files.bldg!;
        seen.add(file!.features);
        assert.equal(file!.features % 100, 0);
        assert.equal(found.cities.length, 1, 'never two revisions, never none');
        // What was just emitted answers, also when it is replaced at this moment.
        const bytes = await server.request(file!.url);
        assert.equal(bytes.status, 200, bytes.text);
        assert.equal(bytes.body.length, file!.fileSize);
        assert.equal((await server.request(found.url)).status, 200);
        const { citygml } = await server.json<Catalogue>('/datacatalog/citymodel-datasets');
        assert.equal(citygml.length, 1);
        const zip = await server.request('/datacatalog/citygml/47201-latest/citygml.zip');
        assert.equal((await server.request(String(zip.headers.location), { method: 'HEAD' })).status, 200);
        // Servers take over a catalogue between two answers, and one that is always busy is slower to.
        await pause(5);
      }
    };
    const asking = Promise.all([ask(), ask()]);
    try {
      for (const zip of zips.slice(1)) {
        assert.equal((await ingestOne(data, [zip])).outcome, 'replaced');
        const version = server.log.filter(({ msg }) => msg === 'catalogue built').length;
        if (version < 2)
          await server.logged(({ msg, version }) => msg === 'catalogue built' && Number(version) > 1);
      }
      const newest = server.log.findLast(({ msg }) => msg === 'catalogue built')!;
      if (Number(newest.version) < 4)
        await server.logged(({ msg, version }) => msg === 'catalogue built' && Number(version) >= 4);
    } finally {
      done = true;
      await asking;
    }
    const last = await server.json<FileListResult>('/datacatalog/citygml/47201');
    assert.equal(last.files.bldg![0]!.features, 400);
    assert.ok(seen.size > 1, 'requests were answered before and after');
    await here.assertClean(data);
  });

  it('writes nothing in a dry run', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    const zip = await writeZip(join(directory, `${PACKAGE}.zip`), goodPackage());
    const run = await runProgram(['ingest', '--dry-run', zip], { DATA_DIR: data });
    assert.equal(run.code, 0, run.stderr);
    assert.match(run.stdout, /dry run/);
    assert.match(run.stdout, /guessed: .*registrationYear/);
    assert.match(run.stdout, /那覇市/);
    assert.match(run.stdout, /1 GML files, 3 features; .*no issues/s);
    assert.deepEqual(await tree(data), []);
    assert.deepEqual(await here.list(data), []);
    const { reports } = await here.ingest(data, ['--dry-run', zip]);
    assert.equal(reports[0]!.outcome, 'understood');
    assert.equal(reports[0]!.package?.id, null);
    const { package: pkg, guessed } = await here.ingestOne(data, [zip]);
    assert.deepEqual(guessed, reports[0]!.guessed, 'guesses the same as when it goes in');
    assert.deepEqual(
      { ...reports[0]!.package, id: pkg!.id, archiveSize: pkg!.archiveSize },
      pkg,
      'and says the same',
    );
    const names = await runProgram(['ingest', '--names-only', zip], { DATA_DIR: data });
    assert.match(names.stdout, /names only: no file was read/);
    assert.doesNotMatch(names.stdout, /features|no issues/);
    const older = await here.ingest(data, [
      '--dry-run',
      await writeZip(join(directory, `${PACKAGE.replace('_1_', '_0_')}.zip`), goodPackage(4)),
    ]);
    assert.equal(older.reports[0]!.outcome, 'refused', 'a dry run tells what would happen');
    assert.equal(older.run.code, 1);
  });

  it('knows an edition without a second number as its first, and refuses what is no version', async (t) => {
    const directory = await tempDirectory(t);
    const zip = await writeZip(join(directory, '13101_chiyoda-ku_city_2023_citygml_1_op.zip'), goodPackage());
    const report = await here.ingestOne(join(directory, 'data'), ['--spec', '3', zip]);
    assert.equal(report.package?.spec, '3.0');
    const { run } = await here.ingest(join(directory, 'data'), ['--spec', 'third', zip]);
    assert.equal(run.code, 1);
    assert.match(run.stderr, /It must look like 4\.1/);
  });

  it('takes the operator’s word for every field', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    const zip = await writeZip(join(directory, 'delivery.zip'), goodPackage());
    const unknown = await here.ingest(data, [zip]);
    assert.equal(unknown.run.code, 1);
    assert.equal(unknown.reports[0]!.refusal?.code, 'UNKNOWN_NAME');
    assert.match(unknown.reports[0]!.refusal!.reason, /--code.*--year/);
    const report = await here.ingestOne(data, [
      ...['--name', 'our-own_name', '--code', '13101', '--year', '2019', '--registration-year', '2020'],
      ...['--provider', 'pref', '--revision', '7', '--spec', '9.9', '--license', 'CC0', '--city', '千代田'],
      zip,
    ]);
    assert.deepEqual(report.guessed, []);
    assert.deepEqual(
      { ...report.package, id: '', archiveSize: 0 },
      {
        id: '',
        name: 'our-own_name',
        kind: 'citygml',
        pref: '東京都',
        city: '千代田',
        cityCode: '13101',
        ward: null,
        wardCode: null,
        provider: 'pref',
        year: 2019,
        registrationYear: 2020,
        spec: '9.9',
        revision: '7',
        types: ['bldg'],
        lod: null,
        texture: null,
        license: 'CC0',
        files: 1,
        features: 3,
        archiveSize: 0,
      },
    );
    const ward = await here.ingestOne(data, [
      ...['--code', '01100', '--year', '2022', '--ward-code', '01101', '--ward', '真ん中区', zip],
    ]);
    assert.equal(ward.package?.ward, '真ん中区');
    assert.equal(ward.package?.wardCode, '01101');
    assert.deepEqual(ward.guessed.sort(), ['name', 'registrationYear', 'revision', 'spec']);
    for (const [flags, pattern] of [
      [['--year', 'soon'], /whole number from 1900/],
      [['--level', '10'], /1 to 9/],
      [['--code', '1310'], /5 digits|BAD_CODE/],
      [['--asset-path', '../../etc'], /59\/984b81/],
      [['--name', 'a/../b'], /one directory/],
      [['--name', '..'], /one directory/],
      [['--provider', 'a/b'], /small letters/],
      [['--type', 'two-words'], /small letters/],
      [['--ward-code', '101'], /5 digits/],
      [['--city', ''], /empty/],
      [['--spec', ' '], /4\.1/],
      [['--name', 'delivery-of-may'], /The name delivery-of-may does not follow/],
      [['--spoon'], /unknown option/],
    ] as const) {
      const run = await runHere(
        ['ingest', ...flags, '--year', '2020', zip].slice(0, flags[0] === '--year' ? 4 : undefined),
        { DATA_DIR: data },
      );
      assert.notEqual(run.code, 0, flags.join(' '));
      assert.match(run.stdout + run.stderr, pattern);
    }
  });

  it('keeps the asset path of a mirrored package, and its host is ours', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    const zip = await writeZip(join(directory, `${PACKAGE}.zip`), goodPackage());
    await here.ingestOne(data, ['--asset-path', '59/984b81-8516-4e13-a8f5-2ca24e272c3e', zip]);
    await using server = await startServer(data, { env: { CMS_HOSTS: 'assets.cms.example.jp' } });
    const path = `/assets/59/984b81-8516-4e13-a8f5-2ca24e272c3e/${PACKAGE}`;
    assert.equal((await server.request(`${path}/${GML}`)).status, 200);
    const { citygml } = await server.json<Catalogue>('/datacatalog/citymodel-datasets');
    assert.equal(server.pathOf(citygml[0]!.url), `${path}.zip`);
  });

  it('takes zips, directories, PMTiles and shelves of them in one command', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    const sample = join(directory, 'sample');
    await writeSampleWithTiles(sample, 60);
    const folder = await writeDirectory(join(directory, PACKAGE), goodPackage());
    const { run, reports } = await ingest(data, [folder, sample]);
    assert.equal(run.code, 0, run.stdout);
    assert.equal(reports.length, Object.keys(SAMPLE_TILES).length + 4);
    // A package that was unpacked between the others, and what lies about.
    const renamedPackage = PACKAGE.replace('2023', '2022');
    await writeDirectory(join(sample, renamedPackage), goodPackage());
    await writeDirectory(join(sample, 'notes'), { 'a.txt': '' });
    const { reports: more } = await here.ingest(data, [sample]);
    assert.deepEqual(
      more.flatMap(({ outcome, package: pkg }) => (outcome === 'published' ? [pkg!.name] : [])),
      [renamedPackage],
    );
    assert.equal(more.filter(({ outcome }) => outcome === 'unchanged').length, reports.length - 1);
    const kinds = reports.map((report) => report.package!.kind);
    assert.equal(kinds.lastIndexOf('citygml'), 3, 'CityGML comes first: tiles take facts from it');
    assert.ok(reports.every(({ outcome }) => outcome === 'published'));
    const luse = reports.find(({ upload }) => upload.endsWith('.pmtiles'))!;
    assert.equal(luse.package?.kind, 'mvt');
    assert.equal(luse.package?.city, '汐見野市', 'the name comes from the CityGML package');
    assert.deepEqual(luse.guessed, ['registrationYear']);
    const table = await runProgram(['ingest', folder, sample], { DATA_DIR: data });
    assert.equal(table.code, 0);
    assert.match(table.stdout, /package +outcome +types +files +features +archive/);
    await here.assertClean(data);
  });

  it('ends with 1 when one of several is refused, and the others go in', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    const zip = await writeZip(join(directory, `${PACKAGE}.zip`), goodPackage());
    const junk = join(directory, '47202_junk-shi_city_2023_citygml_1_op.zip');
    await writeFile(junk, 'this is no zip, whatever its name says');
    const cut = join(directory, '47203_cut-shi_city_2023_citygml_1_op.zip');
    await copyFile(zip, cut);
    const handle = await open(cut, 'r+');
    await handle.truncate(600);
    await handle.close();
    const empty = await writeDirectory(join(directory, '47204_empty_city_2023_citygml_1_op'), {
      'a.txt': '',
    });
    const { run, reports } = await ingest(data, [junk, cut, empty, zip]);
    assert.equal(run.code, 1);
    assert.deepEqual(
      reports.map(({ outcome, refusal }) => refusal?.code ?? outcome),
      ['NOT_A_ZIP', 'TRUNCATED', 'NOT_A_PACKAGE', 'published'],
    );
    fails(
      await runProgram(['ingest', join(directory, 'missing.zip')], { DATA_DIR: data }),
      1,
      /does not exist/,
    );
    fails(await runProgram(['ingest'], { DATA_DIR: data }), 1, /missing required argument/);
    fails(await runProgram(['ingest', '--name', 'x', zip, junk], { DATA_DIR: data }), 2, /for one package/);
    await assertClean(data);
  });
});

describe('list and remove', () => {
  it('show packages with their issues, and take them out at once', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    const members = {
      ...goodPackage(),
      [GML]: gml(2, { attributes: '<bldg:class codeSpace="../../codelists/Nothing.xml">3</bldg:class>' }),
    };
    await here.ingestOne(data, [await writeZip(join(directory, `${PACKAGE}.zip`), members)]);
    const text = await runProgram(['list', '--issues'], { DATA_DIR: data });
    assert.match(text.stdout, new RegExp(`${PACKAGE} +live +那覇市 +bldg +1 +2 `));
    assert.match(text.stdout, /MISSING_CODE_LIST/);
    const [row] = await here.list(data, ['--issues']);
    assert.deepEqual(
      row!.issues!.map(({ code, member, severity }) => [code, member, severity]),
      [['MISSING_CODE_LIST', GML, 'warning']],
    );
    await using server = await startServer(data);
    const path = `/assets/${row!.assetPath}/${PACKAGE}/${GML}`;
    assert.equal((await server.request(path)).status, 200);
    const built = server.log.length;
    const removed = await runProgram(['remove', PACKAGE], { DATA_DIR: data });
    assert.equal(removed.code, 0, removed.stderr);
    assert.match(removed.stdout, new RegExp(`removed ${PACKAGE}`));
    await server.logged((line) => server.log.indexOf(line) >= built && line.msg === 'catalogue built');
    assert.equal((await server.request(path)).status, 404);
    assert.equal((await server.request('/datacatalog/citygml/47201')).status, 404);
    assert.deepEqual(await here.list(data), []);
    fails(await runProgram(['remove', PACKAGE], { DATA_DIR: data }), 1, /there is no package/);
    await here.assertClean(data);
    // It can come again, and after the grace nothing of the first is left.
    await here.ingestOne(data, [join(directory, `${PACKAGE}.zip`)]);
    assert.equal((await runHere(['remove', PACKAGE], { DATA_DIR: data, RETIRED_GRACE_S: '0' })).code, 0);
    assert.equal((await runHere(['remove', 'nothing'], { DATA_DIR: data, RETIRED_GRACE_S: '0' })).code, 1);
    assert.deepEqual(
      (await tree(data)).filter((name) => /objects/.test(name)),
      [],
    );
  });
});

describe('check', () => {
  it('finds a flipped byte in an archive or index, a cut or missing object, and one too many', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    await here.ingestOne(data, [await writeZip(join(directory, `${PACKAGE}.zip`), goodPackage(50))]);
    assert.equal((await assertClean(data)).members, 3);
    const [row] = await here.list(data);
    const objects = (await tree(data)).filter((name) => /\.(zip|index)$/.test(name));
    assert.equal(objects.length, 2);
    const archive = join(data, objects.find((name) => name.endsWith('.zip'))!);
    const index = join(data, objects.find((name) => name.endsWith('.index'))!);
    const faults = async (check: typeof runProgram = runHere): Promise<string[]> => {
      const run = await check(['check', '--json'], { DATA_DIR: data });
      assert.equal(run.code, run.stdout.includes('"faults": []') ? 0 : 1, run.stdout + run.stderr);
      return JSON.parse(run.stdout).faults.map(
        ({ place, fault }: { place: string; fault: string }) => `${place}: ${fault}`,
      );
    };
    const flip = async (path: string, at: number) => {
      const handle = await open(path, 'r+');
      const byte = Buffer.alloc(1);
      await handle.read(byte, 0, 1, at);
      byte[0]! ^= 0x10;
      await handle.write(byte, 0, 1, at);
      await handle.close();
    };
    for (const path of [archive, index]) {
      const { size } = await stat(path);
      for (let i = 0; i < 12; i++) {
        const at = Math.floor(((i + 0.5) / 12) * size);
        await flip(path, at);
        assert.ok((await faults()).length > 0, `byte ${at} of ${size} in ${path}`);
        await flip(path, at);
      }
    }
    assert.deepEqual(await faults(), []);
    const text = await runProgram(['check', PACKAGE], { DATA_DIR: data });
    assert.match(text.stdout, /1 packages? with 3 members checked, no faults/);
    assert.equal((await runProgram(['check', 'nothing'], { DATA_DIR: data })).code, 1);
    await writeFile(join(archive, '..', 'stray.zip'), 'x');
    const stray = { DATA_DIR: data, RETIRED_GRACE_S: '0' };
    const named = await runProgram(['check', '--json'], stray);
    assert.equal(named.code, 0, 'objects that are newer than a restored database do no harm');
    assert.deepEqual(JSON.parse(named.stdout).orphans, [{ key: 'archives/stray.zip', size: 1 }]);
    const repaired = await runProgram(['check', '--repair'], stray);
    assert.match(repaired.stdout, /• archives\/stray\.zip: Nothing refers to this object of 1 B/);
    assert.match(repaired.stdout, /The sweep deletes these objects after RETIRED_GRACE_S/);
    await runProgram(['ingest', join(directory, 'nothing.zip')], stray);
    await assert.rejects(stat(join(archive, '..', 'stray.zip')), { code: 'ENOENT' });
    await copyFile(archive, join(directory, 'kept'));
    const handle = await open(archive, 'r+');
    await handle.truncate(row!.archiveSize - 1);
    await handle.close();
    assert.match((await faults()).join(), /bytes; the database says/);
    await rm(archive);
    assert.match((await faults(runProgram)).join(), new RegExp(`${PACKAGE}.*ingest the package again`));
    await copyFile(join(directory, 'kept'), archive);
    assert.deepEqual(await faults(), []);
    await removeDirectory(index);
    assert.match((await faults()).join(), /ingest the package again/);
  });
});

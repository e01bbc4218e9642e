/** The snippet for QGIS as QGIS runs it (Debian: python3-qgis), without a screen. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { DatasetRow } from '../packages/portal/src/core/catalogue.ts';
import { snippetsFor } from '../packages/portal/src/datasets/snippets.ts';
import { ROOT, removeDirectory, tempDirectory } from './support/program.ts';
import { startServer, type TestServer } from './support/server.ts';
import { ingestSample } from './support/store.ts';

const run = promisify(execFile);

/** QGIS is a library of the system's own Python, not of one that is installed beside it. */
const PYTHON = '/usr/bin/python3';
/** Tiles that a map of 1,200 × 800 pixels may ask for: it has room for 6 × 5 tiles of 256 pixels. */
const BUDGET = 40;

function missing(): string | false {
  try {
    execFileSync(PYTHON, ['-c', 'import qgis.core'], { stdio: 'ignore' });
    return false;
  } catch {
    return 'needs QGIS (Debian: python3-qgis)';
  }
}

const NO_QGIS = missing();

describe('the snippet for QGIS', { skip: NO_QGIS, timeout: 240_000 }, () => {
  let directory: string;
  let server: TestServer;

  before(async () => {
    if (NO_QGIS) return;
    directory = await tempDirectory();
    const { data } = await ingestSample(directory);
    server = await startServer(data, { reachable: true, env: { LOG_LEVEL: 'info' } });
  });

  after(async () => {
    if (NO_QGIS) return;
    await server.stop();
    await removeDirectory(directory);
  });

  for (const id of ['47900_luse_lod1', '47900_fld_natl_sumimigawa_l2_lod1_mvt']) {
    test(`draws ${id} and asks for the tiles that it draws alone`, async (t) => {
      const { datasets } = await server.json<{ datasets: DatasetRow[] }>(
        '/datacatalog/citymodel-datasets?fields=datasets',
      );
      const row = datasets.find((candidate) => candidate.id === id)!;
      const { text } = snippetsFor(row, server.publicUrl).find(({ kind }) => kind === 'QGIS')!;
      const snippet = join(directory, `${id}.py`);
      await writeFile(snippet, text);
      const tiles = () => server.log.filter(({ url }) => /\.mvt$/.test(String(url))).length;
      const before = tiles();
      const { stdout } = await run(
        PYTHON,
        [join(ROOT, 'test/qgis/run_snippet.py'), snippet, join(directory, `${id}.png`)],
        {
          timeout: 60_000,
          env: { ...process.env, QT_QPA_PLATFORM: 'offscreen', HOME: directory, PYTHONPATH: '' },
        },
      );
      const { extent, painted } = JSON.parse(stdout.trim().split('\n').at(-1)!);
      const asked = tiles() - before;
      t.diagnostic(`${asked} tiles, ${(painted * 100).toFixed(0)} % of the map painted`);
      assert.ok(asked > 0 && asked <= BUDGET, `${asked} tiles were asked for`);
      assert.ok(painted > 0.05, `${painted} of the map is painted`);
      const [west, south, east, north] = row.bbox!;
      const wide = east - west;
      assert.ok(extent[0] > west - wide && extent[2] < east + wide, `zoomed to ${extent}`);
      assert.ok(extent[1] > south - wide && extent[3] < north + wide, `zoomed to ${extent}`);
    });
  }

  test('the project of the city opens with its layers in groups, and draws them', async (t) => {
    const path = join(directory, 'city.qgs');
    await writeFile(path, (await server.request('/city/47900/project.qgs?lang=en')).text);
    const { stdout } = await run(
      PYTHON,
      [join(ROOT, 'test/qgis/open_project.py'), path, join(directory, 'city.png')],
      {
        timeout: 60_000,
        env: { ...process.env, QT_QPA_PLATFORM: 'offscreen', HOME: directory, PYTHONPATH: '' },
      },
    );
    const opened = JSON.parse(stdout.trim().split('\n').at(-1)!);
    t.diagnostic(JSON.stringify(opened));
    assert.deepEqual([opened.read, opened.title, opened.crs], [true, 'Aonagi (47900)', 'EPSG:3857']);
    assert.ok(opened.layers.length >= 5 && opened.layers.every(([, isValid]: [string, boolean]) => isValid));
    assert.deepEqual(opened.groups.slice(0, 3), ['Buildings', 'Roads', 'Land use']);
    assert.ok(opened.painted > 0.05, `${opened.painted} of the map is painted`);
  });
});

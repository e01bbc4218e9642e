/** What tilesets and `conversion.json` say of heights. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { unzip } from '@citymodel/citygml/testing';
import type { ConvertOptions } from '@citymodel/tiles';
import { box, building, FIXTURE_PATH, fixture, solid } from '@citymodel/tiles/testing';
import { convertZip } from './testing/convert-zip.ts';

const root = mkdtempSync(join(tmpdir(), 'citymodel-systems-'));
after(() => rmSync(root, { recursive: true, force: true }));

let conversions = 0;

/** Converts a file of a building for each system, and tells what stands in the package of LOD 1. */
async function saidOf(systems: readonly string[], heights: ConvertOptions['heights']) {
  const work = join(root, `${conversions++}`);
  const source = join(work, '13101_chiyoda-ku_city_2023_citygml_1_op');
  for (const [i, srs] of systems.entries()) {
    const path = FIXTURE_PATH.replace('53394525', `5339452${5 + i}`);
    const gml = fixture([building(`a${i}`, solid(1, box([0, 0, 0], [9, 9, 9])))], { srs, path });
    mkdirSync(dirname(join(source, path)), { recursive: true });
    writeFileSync(join(source, path), await buffer(Readable.from(gml.text())));
  }
  const { packages } = await convertZip(source, work, { options: { heights } });
  const tiles = packages.find(({ name }) => name.endsWith('_3dtiles_lod1'))!;
  const members = await unzip(tiles.path!, /\.json$/);
  const json = (name: string) => JSON.parse(Buffer.from(members.get(name)!).toString());
  const { heights: asked, height_datum, height_revision } = json('conversion.json');
  return [json('tileset.json').asset.extras.heights, asked, height_datum, height_revision];
}

const REVISION = 'hyokorevBM_jgd2024_h 1.0.0';

test(
  'tilesets say by what heights of JGD2024 were brought to the ellipsoid, and of which datum elevations ' +
    'are',
  async () => {
    const [before, revised] = ['EPSG:6697', 'EPSG:11318'];
    assert.deepEqual(await saidOf([before], 'geoid'), ['GSIGEO2011', 'GSIGEO2011', 'JGD2011', REVISION]);
    assert.deepEqual(await saidOf([revised], 'geoid'), [
      `GSIGEO2011, heights revised by ${REVISION}`,
      'GSIGEO2011',
      'JGD2011',
      REVISION,
    ]);
    assert.deepEqual(await saidOf([before], 'elevation'), ['elevation', 'elevation', undefined, undefined]);
    assert.equal((await saidOf([revised], 'elevation'))[0], 'elevation, of JGD2024');
    const mixed = await saidOf([before, revised], 'elevation');
    assert.equal(mixed[0], 'elevation, some of JGD2011 and some of JGD2024');
  },
);

/** A small fault run, and packs of more members than a plain zip can count. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { GML_TAIL, gmlHead, gmlMember } from '../packages/sample/src/gml.ts';
import { writeZipFile } from '../packages/sample/src/zip-file.ts';
import { bufferSource } from '../packages/zip/src/source.ts';
import { strictZip } from '../packages/zip/src/testing/strict-zip.ts';
import { complaintOf, zipPrograms } from '../packages/zip/src/testing/zip-programs.ts';
import { faultRun } from './support/pack-faults.ts';
import { fetchPack, urlsOf } from './support/packs.ts';
import { tempDirectory } from './support/program.ts';
import { startServer } from './support/server.ts';
import { ingest, ingestSample } from './support/store.ts';

const ENV = { JOB_POLL_MS: '20', PACK_RATE: '0' };

describe('packs', () => {
  for (const materialise of ['never', 'always']) {
    it(`survive a server that is killed again and again (PACK_MATERIALISE=${materialise})`, async (t) => {
      const { data } = await ingestSample(await tempDirectory(t));
      const env = { ...ENV, PACK_MATERIALISE: materialise };
      const first = await startServer(data, { env });
      const urls = [...(await urlsOf(first, '47900')), ...(await urlsOf(first, '47950'))];
      await first.stop();
      const report = await faultRun({
        packs: 16,
        kills: 8,
        urls,
        async start() {
          const { address, child } = await startServer(data, { env });
          return { url: address, child };
        },
        // The moments of death, from early to late.
        random: (
          (n) => () =>
            (n++ % 8) / 8
        )(0),
      });
      assert.deepEqual([report.packs, report.kills], [16, 8]);
    });
  }

  it('of more than 65,535 members are Zip64 and accepted everywhere', async (t) => {
    const directory = await tempDirectory(t);
    const images = Array.from({ length: 66_000 }, (_, i) => `53390000_bldg_6697_appearance/${i}.jpg`);
    const upload = join(directory, '47950_shiomino-shi_city_2031_citygml_1_op.zip');
    const bytes = Buffer.from('x');
    await writeZipFile(upload, '', [
      { path: 'udx/bldg/53390000_bldg_6697_op.gml', bytes: Buffer.from(gmlWith(images)) },
      ...images.map((image) => ({ path: `udx/bldg/${image}`, bytes })),
    ]);
    const data = join(directory, 'data');
    const { run } = await ingest(data, [upload]);
    assert.equal(run.code, 0, run.stdout);
    await using server = await startServer(data, { env: ENV });
    const { zip, status } = await fetchPack(server, { conditions: '47950' });
    assert.equal(status.files, 66_001);
    const { zip64, members } = await strictZip(bufferSource(zip));
    assert.deepEqual([zip64, members.length], [true, 66_001]);
    const path = join(directory, 'pack.zip');
    await writeFile(path, zip);
    for (const program of zipPrograms()) assert.equal(complaintOf(program, path), null);
  });
});

/** One building with a texture for each image. */
function gmlWith(images: readonly string[]): string {
  const corner: [number, number, number] = [35, 139, 0];
  const textures = images
    .map(
      (image) =>
        `<app:surfaceDataMember><app:ParameterizedTexture><app:imageURI>${image}</app:imageURI>` +
        `</app:ParameterizedTexture></app:surfaceDataMember>`,
    )
    .join('\n');
  const ring = '35 139 0 35 139.0001 0 35.0001 139.0001 0 35 139 0';
  const building =
    '<bldg:Building gml:id="a"><bldg:lod0RoofEdge><gml:MultiSurface><gml:surfaceMember><gml:Polygon><gml:exterior>' +
    '<gml:LinearRing>' +
    `<gml:posList>${ring}</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon></gml:surfaceMember>` +
    `</gml:MultiSurface></bldg:lod0RoofEdge></bldg:Building>\n`;
  return (
    gmlHead('3.1', '../../', { lower: corner, upper: corner }) +
    gmlMember(building) +
    `<app:appearanceMember><app:Appearance>${textures}</app:Appearance></app:appearanceMember>\n` +
    GML_TAIL
  );
}

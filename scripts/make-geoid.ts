/**
 * Makes `packages/geo/src/data/gsigeo2011.geoid` from the GeoTIFF of GSIGEO2011 in PROJ-data (`jp_gsi_gsigeo2011.tif`,
 * CC BY 4.0; NOTICE names it). Heights are rounded to millimetres. Needs `gdal_translate` of GDAL.
 *
 *   node scripts/make-geoid.ts path/to/jp_gsi_gsigeo2011.tif
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeGeoid, NO_HEIGHT } from '../packages/geo/src/geoid-format.ts';

const TARGET = join(import.meta.dirname, '../packages/geo/src/data/gsigeo2011.geoid');
const [COLUMNS, ROWS] = [1_201, 1_800];

const [source] = process.argv.slice(2);
if (source === undefined) throw new Error('Give the path of the GeoTIFF.');
const directory = mkdtempSync(join(tmpdir(), 'citymodel-geoid-'));
try {
  const raw = join(directory, 'heights');
  execFileSync('gdal_translate', ['-q', '-of', 'ENVI', '-ot', 'Float32', source, raw]);
  const bytes = readFileSync(raw);
  if (bytes.length !== COLUMNS * ROWS * 4) throw new Error(`Expected ${COLUMNS} × ${ROWS} nodes.`);
  const millimetres = new Uint16Array(COLUMNS * ROWS);
  for (let node = 0; node < millimetres.length; node++) {
    const metres = bytes.readFloatLE(node * 4);
    millimetres[node] = metres > 0 ? Math.round(metres * 1_000) : NO_HEIGHT;
  }
  const grid = { columns: COLUMNS, rows: ROWS, west: 120, north: 50, perDegreeEast: 40, perDegreeSouth: 60 };
  writeFileSync(TARGET, encodeGeoid({ ...grid, millimetres }));
} finally {
  rmSync(directory, { recursive: true, force: true });
}

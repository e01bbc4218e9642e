import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, test } from 'node:test';
import { extentOf, geometriesOf, standingGeometry } from './geometry/feature-geometry.ts';
import { altitudeRange, shapeOf } from './geometry/feature-shape.ts';
import { meetsBox } from './geometry/voxel-intersection.ts';
import { FeatureIndex } from './index/feature-index.ts';
import { entryOfText } from './scan/entry-of-text.ts';
import { GmlScanner } from './scan/scanner.ts';
import { DATA, publishedPackages, random, unzip } from './testing/published.ts';
import { namespaceContext, parseFeature } from './xml/feature-xml.ts';

/** Of a file with more features than this, only some are tested with boxes. */
const FEATURES = 200;

const packages = await publishedPackages();

/**
 * The index, which one pass over the file wrote, and the reading of single features from their bytes must say the
 * same: name, id, extent, and which boxes a feature meets.
 */
describe('the index agrees with the text', {
  skip: existsSync(DATA) ? false : 'needs ../shared/data',
}, () => {
  for (const path of packages) {
    test(basename(path), async () => {
      const next = random(11);
      for (const [name, gml] of await unzip(path)) {
        if (!name.endsWith('.gml')) continue;
        const scanner = new GmlScanner({ member: name, onIssue: () => {} });
        scanner.push(gml);
        const index = FeatureIndex.open(scanner.end().featureIndex);
        const context = namespaceContext(index.rootTag);
        const defaults = {
          srsName: index.crs.srsName || null,
          srsDimension: Number(index.crs.srsDimension) || null,
        };
        for (let i = 0; i < index.size; i++) {
          const entry = index.feature(i);
          const where = `${name} ${entry.id}`;
          const feature = parseFeature(gml.subarray(entry.start, entry.end), context);
          assert.equal(feature.name, entry.element, where);
          assert.equal(feature.attributes['gml:id'] ?? null, entry.id, where);
          const geometries = geometriesOf(feature, defaults);
          assert.deepEqual(entry.extent, extentOf(standingGeometry(geometries)), where);
          if (i % Math.ceil(index.size / FEATURES) !== 0) continue;
          const alone = entryOfText(gml.subarray(entry.start, entry.end), index);
          const place = { index: 0, start: 0, end: entry.end - entry.start };
          const { footprintOffset, footprintLength } = alone!;
          assert.deepEqual(alone, { ...entry, ...place, footprintOffset, footprintLength }, where);
          const footprint = index.footprint(index.feature(i));
          if (footprint === null) continue;
          const shape = shapeOf(geometries)!;
          assert.deepEqual(
            altitudeRange(entry.extent!, entry.hasAltitude, entry.lod1Solid),
            shape.altitudes,
            where,
          );
          const { west, south, east, north } = entry.extent!;
          for (let n = 0; n < 6; n++) {
            const width = (east - west + 1e-8) * next() * (n < 3 ? 1 : 0.05);
            const height = (north - south + 1e-8) * next() * (n < 3 ? 1 : 0.05);
            const x = west - width + next() * (east - west + width);
            const y = south - height + next() * (north - south + height);
            const box = { west: x, south: y, east: x + width, north: y + height };
            const fromIndex = meetsBox({ ...footprint, altitudes: null }, box, null);
            assert.equal(fromIndex, meetsBox(shape, box, null), `${where} ${JSON.stringify(box)}`);
          }
        }
      }
    });
  }
});

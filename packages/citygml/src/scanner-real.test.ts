import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Issue } from '@citymodel/base';
import { SaxesParser } from 'saxes';
import * as yauzl from 'yauzl';
import { FeatureIndex } from './index/feature-index.ts';
import { GmlScanner } from './scan/scanner.ts';
import type { GmlSummary } from './scan/summary.ts';
import { DATA, publishedPackages } from './testing/published.ts';
import { canonicalPrefix } from './xml/namespaces.ts';

/** Every member of a zip whose name ends in `.gml`. */
async function gmlMembers(path: string): Promise<Array<{ name: string; text: Buffer }>> {
  const zip = await new Promise<yauzl.ZipFile>((resolve, reject) =>
    yauzl.open(path, { lazyEntries: true }, (error, file) => (error ? reject(error) : resolve(file))),
  );
  const members: Array<{ name: string; text: Buffer }> = [];
  const read = (entry: yauzl.Entry) =>
    new Promise<Buffer>((resolve, reject) => {
      zip.openReadStream(entry, (error, stream) => {
        if (error) return reject(error);
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => resolve(Buffer.concat(chunks)));
        stream.on('error', reject);
      });
    });
  await new Promise<void>((resolve, reject) => {
    zip.on('entry', (entry: yauzl.Entry) => {
      if (!entry.fileName.endsWith('.gml')) return zip.readEntry();
      read(entry).then((text) => {
        members.push({ name: entry.fileName, text });
        zip.readEntry();
      }, reject);
    });
    zip.on('end', resolve);
    zip.on('error', reject);
    zip.readEntry();
  });
  return members;
}

interface Known {
  id: string | null;
  element: string;
  start: number;
  end: number;
  lods: number;
  box: number[] | null;
}

/**
 * The slow and obvious way: a SAX parser with namespaces, and for every list of coordinates a look at all the
 * elements around it. The text is given as Latin-1, so that its characters are the bytes.
 */
function oracle(text: Buffer): Known[] {
  const mark = text[0] === 0xef ? 3 : 0;
  const content = text.toString('latin1', mark);
  const parser = new SaxesParser({ xmlns: true });
  const stack: Array<{ name: string; local: string }> = [];
  const known: Known[] = [];
  let feature:
    | (Known & { boxes: Map<number, number[]>; seen: Set<number>; relief: number; depth: number })
    | null = null;
  let coordinates = '';
  /** Rank of the geometry here: 0 lod1Solid, 1 + LOD, 7 + LOD beside the body, 13 + LOD in attributes. */
  const rankHere = (): { rank: number; property: boolean } | null => {
    const inside = stack.slice(feature!.depth);
    if (inside.some(({ name }) => /^(core:relativeGMLGeometry|gml:Envelope|app:referencePoint)$/.test(name)))
      return null;
    const attribute = inside.some(({ local }) => /^[A-Z].*Attribute$|^DmAnnotation$/.test(local));
    const property = inside.findLast(
      ({ name, local }) =>
        /^lod[0-4][A-Z]/.test(local) || /^dem:(tin|grid|reliefPoints|ridgeOrValleyLines)$/.test(name),
    );
    const lod =
      property === undefined
        ? 5
        : property.name.startsWith('dem:')
          ? feature!.relief
          : Number(property.local[3]);
    if (attribute) return { rank: 13 + lod, property: property !== undefined };
    if (property?.local === 'lod1Solid') return { rank: 0, property: true };
    return { rank: 1 + lod, property: property !== undefined };
  };
  parser.on('opentag', (tag) => {
    const namespace = canonicalPrefix(tag.uri);
    const name = namespace === null ? tag.name : `${namespace.prefix}:${tag.local}`;
    if (feature === null && stack.at(-1)?.name === 'core:cityObjectMember') {
      const id = Object.values(tag.attributes).find((a) => a.local === 'id' && a.prefix === 'gml');
      feature = {
        id: id === undefined ? null : Buffer.from(id.value, 'latin1').toString(),
        element: name,
        start: mark + content.lastIndexOf('<', parser.position - 1),
        end: 0,
        lods: 0,
        box: null,
        boxes: new Map(),
        seen: new Set(),
        relief: 5,
        depth: stack.length,
      };
    }
    stack.push({ name, local: tag.local });
    coordinates = '';
    const href = Object.values(tag.attributes).find((a) => a.local === 'href');
    if (feature !== null && (href?.value.startsWith('#') || name === 'core:ImplicitGeometry')) {
      const here = rankHere();
      if (here?.property) feature.seen.add(here.rank);
    }
  });
  parser.on('text', (chunk) => {
    coordinates += chunk;
  });
  parser.on('closetag', () => {
    const { name } = stack.at(-1)!;
    if (feature !== null && name === 'dem:lod') feature.relief = Number(coordinates);
    if (feature !== null && (name === 'gml:pos' || name === 'gml:posList')) {
      const here = rankHere();
      if (here !== null) {
        feature.seen.add(here.rank);
        const box = feature.boxes.get(here.rank) ?? [
          Infinity,
          Infinity,
          -Infinity,
          -Infinity,
          Infinity,
          -Infinity,
        ];
        feature.boxes.set(here.rank, box);
        const numbers = coordinates.trim().split(/\s+/).map(Number);
        for (let i = 0; i < numbers.length; i += 3) {
          const [lat, lng, alt] = numbers.slice(i, i + 3) as [number, number, number];
          box[0] = Math.min(box[0]!, lng);
          box[1] = Math.min(box[1]!, lat);
          box[2] = Math.max(box[2]!, lng);
          box[3] = Math.max(box[3]!, lat);
          box[4] = Math.min(box[4]!, alt);
          box[5] = Math.max(box[5]!, alt);
        }
      }
    }
    coordinates = '';
    stack.pop();
    if (feature !== null && stack.length === feature.depth) {
      const { boxes, seen, relief: _, depth: __, ...rest } = feature;
      const best = [...boxes.keys()].sort((a, b) => a - b)[0];
      const bits = (from: number) =>
        [...seen].reduce(
          (mask, rank) => mask | (rank >= from && rank < from + 5 ? 1 << (rank - from) : 0),
          0,
        );
      known.push({
        ...rest,
        end: mark + parser.position,
        lods: bits(1) | (seen.has(0) ? 2 : 0) || bits(7) || bits(13),
        box: best === undefined ? null : boxes.get(best)!,
      });
      feature = null;
    }
  });
  parser.on('error', (error) => {
    throw error;
  });
  parser.write(content).close();
  return known;
}

function scan(text: Uint8Array, chunk: number): { summary: GmlSummary; issues: Issue[] } {
  const issues: Issue[] = [];
  const scanner = new GmlScanner({ member: 'x.gml', onIssue: (issue) => issues.push(issue) });
  for (let i = 0; i < text.length; i += chunk) scanner.push(text.subarray(i, i + chunk));
  return { summary: scanner.end(), issues };
}

test('real files: ids, ranges, names, levels of detail and boxes are those of a slow parser', async (t) => {
  if (!existsSync(DATA)) return t.skip('needs ../shared/data');
  let files = 0;
  for (const path of await publishedPackages()) {
    for (const { name, text } of await gmlMembers(path)) {
      const { summary, issues } = scan(text, 65_536);
      assert.deepEqual(
        issues.filter((issue) => issue.severity === 'error'),
        [],
        name,
      );
      assert.equal(summary.wellFormed, true, name);
      const index = FeatureIndex.open(summary.featureIndex);
      const expected = oracle(text);
      assert.equal(summary.features, expected.length, name);
      const lods = [0, 0, 0, 0, 0];
      expected.forEach((known, i) => {
        const entry = index.feature(i);
        const { extent } = entry;
        const box = extent && [
          extent.west,
          extent.south,
          extent.east,
          extent.north,
          extent.minAlt,
          extent.maxAlt,
        ];
        assert.deepEqual(
          { id: entry.id, element: entry.element, start: entry.start, end: entry.end, lods: entry.lods, box },
          known,
          `${name} feature ${i}`,
        );
        for (let lod = 0; lod < 5; lod++) if (known.lods & (1 << lod)) lods[lod]!++;
        if (known.id !== null) assert.ok(index.find(known.id).includes(i), `${name} ${known.id}`);
      });
      assert.deepEqual(summary.lods, lods, name);
      files++;
    }
  }
  assert.ok(files >= 60, `${files} files`);
});

test('real broken files give a clear issue with a place, and keep what came before', (t) => {
  if (!existsSync(DATA)) return t.skip('needs ../shared/data');
  const expected: Record<string, string | null> = {
    'L-bldg-02 1.gml.gz': null,
    'TestCaseOfInvalidFileNameGml.gml.gz': 'NOT_XML',
    'mismatched-tag_51357441_bldg_Issue138-B.gml.gz': 'MISMATCHED_TAG',
    'not-well-formed_53392642_bldg_6697_op2.gml.gz': 'NOT_WELL_FORMED',
    'unbound-prefix_53392642_bldg_6697_op2.gml.gz': 'UNBOUND_PREFIX',
  };
  for (const [file, code] of Object.entries(expected)) {
    const { summary, issues } = scan(gunzipSync(readFileSync(join(DATA, 'broken', file))), 10_000);
    const errors = issues.filter((issue) => issue.severity === 'error');
    assert.deepEqual(
      errors.map((issue) => issue.code),
      code === null ? [] : [code],
      JSON.stringify(errors),
    );
    assert.equal(summary.wellFormed, code === null, file);
    for (const error of errors) assert.ok(error.line !== undefined && error.byte !== undefined, file);
  }
});

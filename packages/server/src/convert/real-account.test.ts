/** Every real package at hand converts with an account that closes, and that counts what a slow reader counts. */
import assert from 'node:assert/strict';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { localName, parseGmlName } from '@citymodel/citygml';
import { DATA, type SlowElement, slowFeatures, unzip } from '@citymodel/citygml/testing';
import type { ConvertOptions } from '@citymodel/tiles';
import { partContext } from '@citymodel/tiles/testing';
import { MAKERS } from './makers.ts';
import { timedConversion } from './testing/timed-conversion.ts';

const OPTIONS: ConvertOptions = partContext('').options;
const converting = readFileSync(new URL('../../../../docs/converting.md', import.meta.url), 'utf8');

/** Large ones, which benches convert, and one whose name states no code. */
const LEFT_OUT = /osaka-shi_city_2022|tokyo23|takeshiba/;
const packages = globSync(`${DATA}{packages,conversion/*}/*_citygml_*.zip`)
  .filter((path) => !LEFT_OUT.test(path))
  .sort();

/**
 * Features by type, and levels of detail of each type: the number of features that have a property of the level with
 * something in it.
 */
function slowCounts(features: readonly SlowElement[]): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const feature of features) {
    const lods = new Set<string>();
    const visit = (element: SlowElement): void => {
      // Terrain says its level beside its triangles.
      if (element.local === 'tin')
        lods.add(element.parent!.children.find(({ local }) => local === 'lod')!.text.trim());
      const lod = /^lod([0-4])[A-Z]/.exec(element.local)?.[1];
      const isFilled = element.children.length > 0 || element.attributes.has('xlink:href');
      if (lod !== undefined && isFilled && !/HeightType|TerrainInter/.test(element.local)) lods.add(lod);
      for (const child of element.children) if (child.name !== 'gml:boundedBy') visit(child);
    };
    visit(feature);
    for (const lod of lods) add(`${feature.local} ${lod}`);
    if (lods.size === 0) add(`${feature.local} none`);
  }
  return counts;
}

const GEOMETRY = /^lod-?\d(?!HeightType)[A-Z]/;

/** Values of attributes by class and property, by names and content of elements alone. What only refers is none. */
function slowValues(features: readonly SlowElement[], add: (key: string) => void): void {
  const visit = (owner: SlowElement, element: SlowElement): void => {
    const { uri, name, local, children, text, attributes } = element;
    if (name.startsWith('app:') || name === 'gml:boundedBy' || GEOMETRY.test(local)) return;
    const generic = /^(string|int|double|date|uri|measure|code)Attribute$/i.exec(local)?.[1]?.toLowerCase();
    if (/generics/.test(uri) && generic !== undefined)
      add(`genericAttribute ${generic === 'code' ? 'string' : generic}`);
    else if (/generics/.test(uri) && /set$/i.test(local)) {
      for (const child of children) if (child.local !== 'name') visit(element, child);
    } else if (local === 'address' || children.length === 0) {
      if (text.trim() !== '' || !attributes.has('xlink:href')) add(`${owner.local} ${local}`);
    } else if (!/^[A-Z]/.test(local) || !(name.startsWith('gml:') || local === 'ImplicitGeometry')) {
      for (const child of children) visit(element, child);
    }
  };
  for (const feature of features) for (const child of feature.children) visit(feature, child);
}

function holdsSymbol({ local, children }: SlowElement): boolean {
  return /^Dm(GeometricAttribute|Annotation)$/.test(local) || children.some(holdsSymbol);
}

/** Adds the values of a file to those that each maker which reads it should count. */
function addSlowValues(
  counts: Map<string, number>,
  path: string,
  features: readonly SlowElement[],
  options: ConvertOptions,
): void {
  const { type, mesh } = parseGmlName(path);
  for (const { name, plan } of MAKERS) {
    const keys = plan({ path, type, mesh, size: 0 }, options);
    if (keys.length === 0) continue;
    // Who makes nothing but map symbols has rows of features with such symbols.
    const own = keys.some(({ symbols }) => symbols === null) ? features : features.filter(holdsSymbol);
    slowValues(own, (key) => counts.set(`${name} ${key}`, (counts.get(`${name} ${key}`) ?? 0) + 1));
  }
}

test('real packages', { skip: existsSync(DATA) ? false : 'needs ../shared/data' }, async (t) => {
  assert.ok(packages.length > 15);
  for (const path of packages) {
    await t.test(basename(path), async () => {
      const directory = mkdtempSync(join(tmpdir(), 'citymodel-account-'));
      try {
        const { account, issues } = await timedConversion(path, directory, {
          options: { compression: 'none' },
        });
        const expected = new Map<string, number>();
        const values = new Map<string, number>();
        for (const [member, bytes] of await unzip(path, /^(?!codelists).*\.gml$/)) {
          if (!member.includes('udx/')) continue;
          const features = slowFeatures(bytes.toString());
          for (const [key, count] of slowCounts(features))
            expected.set(key, (expected.get(key) ?? 0) + count);
          addSlowValues(values, member, features, OPTIONS);
        }
        const found = new Map(
          account!.features.map(({ type, lod, in: into }) => [
            `${type.split(':').at(-1)} ${lod ?? 'none'}`,
            into,
          ]),
        );
        assert.deepEqual([...found].sort(), [...expected].sort());
        const counted = account!.attributes.map(
          ({ output, type, property, in: into, rest }) =>
            [`${output} ${localName(type)} ${localName(property)}`, into - (rest.REFERENCE ?? 0)] as const,
        );
        assert.deepEqual(counted.filter(([, count]) => count > 0).sort(), [...values].sort());
        for (const { rest } of [...account!.attributes, ...account!.cells])
          for (const code of Object.keys(rest)) assert.match(converting, new RegExp(`\\\`${code}\\\``));
        // Whatever is not out is named by an issue that is no mere notice, or was not asked for.
        const warned = new Set(issues.filter(({ severity }) => severity !== 'info').map(({ code }) => code));
        const tallies = [account!.files, ...account!.features, ...account!.surfaces, account!.images];
        for (const { rest } of tallies)
          for (const code of Object.keys(rest)) assert.ok(warned.has(code), `${code} is told of`);
      } finally {
        rmSync(directory, { recursive: true });
      }
    });
  }
});

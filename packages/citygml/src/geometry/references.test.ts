/** Geometry that refers to other geometry, and how far it is followed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { feature, multiSurface, polygon, solid } from '../testing/fixtures.ts';
import { DEFAULTS, lists, read, sides, square } from '../testing/read-geometry.ts';
import { geometriesOf } from './feature-geometry.ts';

test('a property may refer to a geometry of another property, and not to what is none', () => {
  const members = multiSurface([polygon([square], 'p')]);
  const properties = (href: string) =>
    read(
      `<bldg:Building><bldg:lod1MultiSurface>${members}</bldg:lod1MultiSurface><bldg:lod2MultiSurface xlink:href="` +
        `${href}"/><bldg:boundedBy><bldg:WallSurface gml:id="w"/></bldg:boundedBy></bldg:Building>`,
    ).map(({ property, lod, surfaces }) => [property, lod, surfaces.flatMap(({ rings }) => lists(rings))]);
  const own = ['bldg:lod1MultiSurface', 1, [square.flat()]];
  assert.deepEqual(properties('#p'), [own, ['bldg:lod2MultiSurface', 2, [square.flat()]]]);
  assert.deepEqual(properties('#w'), [own]);
  assert.deepEqual(properties('#none'), [own]);
});

test('references inside the feature give the same surface', () => {
  const geometries = read(`<bldg:Building><bldg:lod2Solid>${solid(['#w0', '#w1'])}</bldg:lod2Solid>
    ${sides
      .slice(0, 2)
      .map(
        (side, i) =>
          `<bldg:boundedBy><bldg:WallSurface gml:id="wall${i}"><bldg:lod2MultiSurface>` +
          `${multiSurface([polygon([side], `w${i}`)])}</bldg:lod2MultiSurface></bldg:WallSurface></bldg:boundedBy>`,
      )
      .join('')}</bldg:Building>`);
  assert.deepEqual(
    geometries.map((one) => one.property),
    ['bldg:lod2Solid', 'bldg:lod2MultiSurface', 'bldg:lod2MultiSurface'],
  );
  assert.equal(geometries[0]!.solids[0]![0]![1], geometries[2]!.surfaces[0]);
  assert.equal(geometries[2]!.owner.attributes['gml:id'], 'wall1');
});

test('references that multiply come to an end', () => {
  const level = (n: number, content: string) =>
    `<gml:surfaceMember><gml:MultiSurface gml:id="m${n}">${content}</gml:MultiSurface></gml:surfaceMember>`;
  const levels = Array.from({ length: 20 }, (_, n) =>
    level(n + 1, `<gml:surfaceMember xlink:href="#m${n}"/>`.repeat(20)),
  );
  const [one] = read(
    `<frn:CityFurniture><frn:lod1Geometry><gml:MultiSurface>` +
      `${level(0, `<gml:surfaceMember>${polygon([square])}</gml:surfaceMember>`)}${levels.join('')}` +
      `</gml:MultiSurface></frn:lod1Geometry></frn:CityFurniture>`,
  );
  assert.ok(one!.surfaces.length < 2_000_000);
});

/** A building whose surfaces refer `times` times to each of a chain of composites, or back to themselves. */
function multiplying(times: number, levels: number, target: (level: number) => string): string {
  const composite = (level: number) =>
    `<gml:CompositeSurface gml:id="c${level}">${`<gml:surfaceMember xlink:href="#${target(level)}"/>`.repeat(times)}` +
    `<gml:surfaceMember>${polygon([square])}</gml:surfaceMember></gml:CompositeSurface>`;
  const members = Array.from({ length: levels }, (_, level) => composite(level));
  return `<bldg:Building><bldg:lod2MultiSurface>${multiSurface(members)}</bldg:lod2MultiSurface></bldg:Building>`;
}

test('a reference to what it stands in is passed over', () => {
  const [geometry] = read(multiplying(40, 1, () => 'c0'));
  assert.equal(geometry!.surfaces.length, 1);
  const [cycle] = read(multiplying(1, 2, (level) => `c${1 - level}`));
  assert.equal(cycle!.surfaces.length, 4);
});

test('features of one request share how many repeated references are followed', () => {
  const xml = multiplying(10, 6, (level) => `c${level + 1}`);
  const repeats = { left: 100 };
  const [first] = geometriesOf(feature(xml), DEFAULTS, repeats);
  assert.ok(repeats.left <= 0);
  const [second] = geometriesOf(feature(xml), DEFAULTS, repeats);
  assert.ok(first!.surfaces.length > second!.surfaces.length);
  assert.ok(second!.surfaces.length <= 30, `${second!.surfaces.length} surfaces`);
  // A wall that several solids share is usual.
  const shared = `<bldg:Building><bldg:lod2MultiSurface>${multiSurface([
    `<gml:CompositeSurface gml:id="w"><gml:surfaceMember>${polygon([square])}</gml:surfaceMember>` +
      `</gml:CompositeSurface>`,
  ])}</bldg:lod2MultiSurface><bldg:lod3MultiSurface><gml:MultiSurface><gml:surfaceMember xlink:href="#w"/>\
</gml:MultiSurface></bldg:lod3MultiSurface></bldg:Building>`;
  assert.deepEqual(
    geometriesOf(feature(shared), DEFAULTS, { left: 0 }).map(({ surfaces }) => surfaces.length),
    [1, 1],
  );
});

test('a property that refers to a geometry without being one is none', () => {
  const geometries = read(
    `<bldg:Building><bldg:lod1MultiSurface>${multiSurface([polygon([square], 'p')])}</bldg:lod1MultiSurface>` +
      `<bldg:address xlink:href="#p"/></bldg:Building>`,
  );
  assert.equal(geometries.length, 1);
});

test('members are followed sixty levels down', () => {
  const nested = (levels: number) => {
    const inside = polygon([square]);
    const [before, after] = [
      '<gml:MultiGeometry><gml:geometryMember>',
      '</gml:geometryMember></gml:MultiGeometry>',
    ];
    return read(
      `<frn:CityFurniture><frn:lod1Geometry>${before.repeat(levels)}${inside}${after.repeat(levels)}` +
        `</frn:lod1Geometry></frn:CityFurniture>`,
    ).length;
  };
  // Each of them takes two levels, and the ring of the polygon one more.
  assert.deepEqual([nested(0), nested(29), nested(30)], [1, 1, 0]);
});

test('two references to an element are usual, further ones are counted', () => {
  const xml = (references: number) =>
    `<bldg:Building><bldg:lod2MultiSurface>` +
    `${multiSurface([polygon([square], 'w'), ...Array<string>(references).fill('#w')])}</bldg:lod2MultiSurface>` +
    `</bldg:Building>`;
  for (const [references, left, expected, rest] of [
    [2, 0, 3, 0],
    [3, 0, 3, -1],
    [3, 1, 4, 0],
    [5, 2, 5, -1],
  ] as const) {
    const repeats = { left };
    const [found] = geometriesOf(feature(xml(references)), DEFAULTS, repeats);
    assert.equal(found!.surfaces.length, expected, `${references} ${left}`);
    assert.equal(repeats.left, rest);
  }
});

import assert from 'node:assert/strict';
import { globSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { NO_CASES, officialCases } from '../testing/official-cases.ts';
import { Libxml2Oracle, NO_SCHEMAS } from './testing/libxml2-oracle.ts';
import { mutate, randomBy } from './testing/mutants.ts';
import { validateText } from './validate-text.ts';
import type { SchemaFault } from './validator.ts';

/** Texts above this size cost the oracle time without telling more. */
const MOST_BYTES = 60_000;
const MUTANTS = 400;

async function faultsOf(
  text: Uint8Array,
  goesOn = false,
): Promise<{ faults: SchemaFault[]; skipped: string[] }> {
  const faults: SchemaFault[] = [];
  const skipped: string[] = [];
  await validateText(Readable.from([text]), {
    onFault: (fault) => faults.push(fault),
    skipped: (reason) => skipped.push(reason),
    goesOn,
  });
  return { faults, skipped };
}

let directory: string | null = null;
before(async () => {
  if (NO_CASES === false) ({ directory } = await officialCases());
});
after(() => {
  if (directory !== null) rmSync(directory, { recursive: true, force: true });
});

for (const spec of [4, 6] as const) {
  const skip = NO_SCHEMAS || NO_CASES;
  test(`files and mutants of specification ${spec} have as many faults as libxml2 finds`, {
    skip,
  }, async () => {
    using oracle = new Libxml2Oracle(spec);
    const files = globSync(`plateau${spec}/**/*.gml`, { cwd: directory! }).sort();
    const wrong: string[] = [];
    const seeds: string[] = [];
    let compared = 0;
    const compare = async (name: string, text: Buffer) => {
      const theirs = oracle.faults(text);
      if (theirs === null) return false;
      compared++;
      const { faults, skipped } = await faultsOf(text);
      if (skipped.length === 0 && faults.length !== theirs.length) {
        const ours = faults.map(({ line, message }) => `${line} ${message}`);
        wrong.push(`${name}: ${faults.length} for ${theirs.length}: ${ours[0]} / ${theirs[0]}`);
      }
      return skipped.length === 0;
    };
    for (const file of files) {
      const text = readFileSync(join(directory!, file));
      const isWhole = await compare(file, text);
      if (isWhole && text.length < MOST_BYTES) seeds.push(text.toString('utf8').replace(/<!--.*?-->/gs, ''));
    }
    assert.ok(seeds.length > 5);
    const random = randomBy(4 + spec);
    for (let i = 0; i < MUTANTS; i++) {
      const mutant = mutate(seeds[i % seeds.length]!, random);
      await compare(`${mutant.kind} ${i}`, Buffer.from(mutant.text));
    }
    assert.deepEqual(wrong, []);
    assert.ok(compared > 0.9 * MUTANTS);
  });
}

const HEAD =
  '<core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0" xmlns:gml="http://www.opengis.net/gml" ' +
  'xmlns:bldg="http://www.opengis.net/citygml/building/2.0" xmlns:uro="https://www.geospatial.jp/iur/uro/9.9">';

const city = (content: string) => Buffer.from(`${HEAD}\n${content}\n</core:CityModel>`);
const building = (content: string) =>
  city(
    `<core:cityObjectMember><bldg:Building gml:id="a">\n${content}\n</bldg:Building></core:cityObjectMember>`,
  );

test('a fault has its line and what was expected', async () => {
  const { faults } = await faultsOf(building('<bldg:storeysAboveGround>two</bldg:storeysAboveGround>'));
  assert.deepEqual(
    faults.map(({ line, message }) => `${line} ${message}`),
    ['3 bldg:storeysAboveGround has the value two, which is no nonNegativeInteger.'],
  );
});

test('a child in the wrong order hides the rest of its parent, unless the validator goes on', async () => {
  const text = building('<bldg:usage>1</bldg:usage><bldg:class>2</bldg:class><bldg:function a="1"/><gml:x/>');
  assert.deepEqual(
    (await faultsOf(text)).faults.map(({ kind }) => kind),
    ['order'],
  );
  const { faults } = await faultsOf(text, true);
  assert.deepEqual(
    faults.map(({ kind, isAfterDisorder }) => [kind, isAfterDisorder]),
    [
      ['order', false],
      ['other', true],
      ['other', true],
    ],
  );
});

test('a version whose schemas are not here is named, and is no fault', async () => {
  const { faults, skipped } = await faultsOf(building('<uro:buildingIDAttribute/><uro:other/>'));
  assert.deepEqual([faults, skipped.length], [[], 1]);
  assert.match(skipped[0]!, /uro\/9\.9/);
});

test('a root element without schemas is named', async () => {
  const { faults, skipped } = await faultsOf(Buffer.from('<a><b/></a>'));
  assert.deepEqual([faults, skipped], [[], ['No schemas are known for the root element {}a.']]);
});

test('a repeated id and a member after the appearance are faults', async () => {
  const member = '<core:cityObjectMember><bldg:Building gml:id="a"/></core:cityObjectMember>';
  const { faults } = await faultsOf(city(`${member}\n${member}<gml:boundedBy/>`));
  assert.deepEqual(
    faults.map(({ line, kind }) => [line, kind]),
    [
      [3, 'other'],
      [3, 'order'],
    ],
  );
});

test('a fault of a line is told once, though others come between', async () => {
  const storeys = (where: string, value: string) => `<bldg:storeys${where}>${value}</bldg:storeys${where}>`;
  const wrong = storeys('AboveGround', 'x') + storeys('BelowGround', 'y');
  const member = `<core:cityObjectMember><bldg:Building>${wrong}</bldg:Building></core:cityObjectMember>`;
  const { faults } = await faultsOf(city(member + member));
  assert.deepEqual(
    faults.map(({ message }) => /value (.)/.exec(message)?.[1]),
    ['x', 'y'],
  );
});

test('what XML Schema forbids is said of the element that breaks it', async () => {
  const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
  const ofClass = (attributes: string) => `<bldg:class ${xsi} ${attributes}>1</bldg:class>`;
  const surface = (inside: string) =>
    '<bldg:lod1MultiSurface><gml:MultiSurface><gml:surfaceMember>' +
    `${inside}</gml:surfaceMember></gml:MultiSurface></bldg:lod1MultiSurface>`;
  const addressLine = (inside: string) =>
    '<bldg:address><core:Address><core:xalAddress><xal:AddressDetails ' +
    'xmlns:xal="urn:oasis:names:tc:ciq:xsdschema:xAL:2.0"><xal:AddressLines><xal:AddressLine>' +
    `${inside}</xal:AddressLine></xal:AddressLines></xal:AddressDetails></core:xalAddress></core:Address>` +
    '</bldg:address>';
  for (const [content, ...messages] of [
    ['<bldg:usage>1</bldg:usage><bldg:measuredHeight uom="m">1e1</bldg:measuredHeight>'],
    [
      '<bldg:class><gml:name/></bldg:class>',
      'bldg:class has child elements, and by its type has a text only.',
    ],
    ['<bldg:measuredHeight>1</bldg:measuredHeight>', 'bldg:measuredHeight lacks the attribute uom.'],
    ['<bldg:measuredHeight uom="m"/>', 'bldg:measuredHeight has the value , which is no double.'],
    [
      '<bldg:measuredHeight uom="m" a="1">1</bldg:measuredHeight>',
      'bldg:measuredHeight has the attribute a, which it may not have.',
    ],
    [ofClass('xsi:nil="true"'), 'bldg:class has xsi:nil, and may not be nil.'],
    [ofClass('xsi:nil="perhaps"'), 'bldg:class: xsi:nil is no boolean.'],
    [ofClass('xsi:type="gml:CodeType"')],
    [ofClass('xsi:type="gml:No"'), 'bldg:class has the xsi:type gml:No, which the schemas lack.'],
    [
      ofClass('xsi:type="gml:LengthType"'),
      'bldg:class has the xsi:type gml:LengthType, which is not made from its type.',
    ],
    [
      '<bldg:lod1Solid><gml:_Solid/></bldg:lod1Solid>',
      'gml:_Solid is abstract: another element stands for it.',
    ],
    [surface('<gml:Polygon/>')],
    [
      surface('<gml:Polygon><gml:interior/></gml:Polygon>'),
      'gml:interior lacks child elements; expected: gml:_Ring.',
    ],
    [
      surface('<gml:Polygon/><gml:Polygon/>'),
      'gml:Polygon may not come here in gml:surfaceMember; nothing may follow.',
    ],
    [addressLine('a text')],
    [addressLine('<a/>'), 'xAL:AddressLine has child elements, and by its type is empty.'],
  ] as const) {
    const { faults } = await faultsOf(building(content));
    assert.deepEqual(
      faults.map(({ line, message }) => `${line} ${message}`),
      messages.map((message) => `3 ${message}`),
      content,
    );
  }
  assert.deepEqual(
    (await faultsOf(building('a text'))).faults.map(({ line, message }) => `${line} ${message}`),
    ['2 bldg:Building has a text, and by its type may not.'],
  );
  const [foreign] = (await faultsOf(building('<other xmlns="urn:x"/>'))).faults;
  assert.match(foreign!.message, /^\{urn:x\}:other may not come here in bldg:Building; expected: gml:meta/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { XmlElement } from '@citymodel/citygml';
import type { FileContext, Member } from '../check.ts';
import { CHECKS } from './index.ts';

const element = (name: string, children: XmlElement[] = []): XmlElement => ({
  ...{ name, attributes: {}, children, text: '' },
});
const referring = { ...element('gml:surfaceMember'), attributes: { 'xlink:href': '#a' } };
const solid = (lod: number) => element(`bldg:lod${lod}Solid`, [element('gml:Solid', [referring])]);
const part = () => element('bldg:consistsOfBuildingPart', [element('bldg:BuildingPart', [solid(2)])]);

/** What is left of a large building of two parts, whose polygons came before one by one. */
const BUILDING = element('bldg:Building', [solid(1), solid(2), part(), part()]);
const member: Member = { feature: BUILDING, number: 0, line: 2, isLarge: true };

/** Whether a check reports the large building as a fault, and why it says that it did not look. */
async function looked(code: string): Promise<{ faults: number; skipped: string[] }> {
  const skipped: string[] = [];
  let faults = 0;
  const file = {
    ...{ path: 'udx/bldg/53394525_bldg_6697_op.gml', spec: 4, shared: {} },
    envelope: { srsName: null, lower: null, upper: null },
    package: { likeUpstream: null },
    report: () => void faults++,
    skipped: (reason: string) => void skipped.push(reason),
  };
  const visitor = CHECKS.find((check) => check.code === code)!.open(file as unknown as FileContext)!;
  if (visitor.element !== undefined) await visitor.element(BUILDING, [], member);
  await visitor.member?.(member);
  return { faults, skipped };
}

for (const code of [
  ...['bldg.lod1.closed', 'bldg.lod2.boundary', 'bldg.mesh', 'bldg.lod0.overlap', 'brid.lod0.overlap'],
  ...['L-bldg-01.lod1', 'L-bldg-01.lod4', 'L-bldg-02', 'L-bldg-06'],
  ...['L-tran-02', 'L-tran-03', 'tran.surface', 'unf.discontinuous', 'wtr.solid'],
]) {
  test(`${code} says of a feature that is too large for it that it did not look, and finds no fault`, async () => {
    assert.deepEqual(await looked(code), {
      faults: 0,
      skipped: [`${code}: a feature is too large to be looked at`],
    });
  });
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CodeLists } from '../citygml/attributes/code-lists.ts';
import { FeatureIndex } from '../citygml/index/feature-index.ts';
import { GmlScanner } from '../citygml/scan/scanner.ts';
import { cityModel } from '../citygml/testing/gml-text.ts';
import { parseFeature } from '../citygml/xml/feature-xml.ts';
import { GmlIndex } from './gml-index.ts';

const PATH = 'udx/bldg/x.gml';

function indexOf(text: string): GmlIndex {
  const scanner = new GmlScanner({ member: PATH, onIssue: () => {} });
  scanner.push(Buffer.from(text));
  const index = FeatureIndex.open(scanner.end().featureIndex);
  return new GmlIndex(index, 0);
}

test('codes have their descriptions in a file of more lists than are remembered', async () => {
  const lists = new CodeLists(async (path) => new Map([['1', path]]));
  const index = indexOf(cityModel(''));
  const described = async (names: readonly string[]) => {
    const usages = names.map((name) => `<bldg:usage codeSpace="../../codelists/${name}.xml">1</bldg:usage>`);
    const feature = parseFeature(
      Buffer.from(`<bldg:Building>${usages.join('')}</bldg:Building>`),
      index.context,
    );
    const labels = await index.labelsFor(feature, lists, PATH);
    return names.map((name) => labels(`../../codelists/${name}.xml`, '1'));
  };
  const many = Array.from({ length: 900 }, (_, i) => `list${i}`);
  for (const names of [
    ['usual'],
    many,
    ['usual', ...many.map((name) => `another-${name}`)],
    ['usual', 'list3'],
  ]) {
    assert.deepEqual(
      await described(names),
      names.map((name) => `codelists/${name}.xml`),
    );
  }
});

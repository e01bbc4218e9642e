/** Code lists and the papers of a package: whatever they hold, reading them ends. */
import assert from 'node:assert/strict';
import { parseCodeList } from '../../packages/citygml/src/attributes/code-list.ts';
import { readPackageMetadata } from '../../packages/server/src/ingest/metadata.ts';
import { memoryFiles } from '../../packages/tiles/src/testing/memory-files.ts';
import type { OpenKind } from './kind.ts';
import { mutateBytes, mutateText } from './mutate.ts';
import { seedPackages } from './seeds.ts';

const TOKENS = [
  '<', '>', '&', '&amp;', '&#0;', '<![CDATA[', ']]>', '<!--', ('<!DOCTYPE a [<!ENTITY b ' +
    '"c">]>'), '&b;', '<gml:Definition>', '</gml:Definition>',
  '<gml:name>1</gml:name>', '<gml:description>', '</gml:description>', '<gml:identifier>', '<a>', '</a>', '\0',
  '\ufeff', ' ', '\u202e', '__proto__',
] as const; // biome-ignore format: a table

export const openCodeLists: OpenKind = async () => {
  const papers: Array<[path: string, text: string]> = [];
  for (const { kind, members } of await seedPackages()) {
    if (kind !== 'citygml') continue;
    for (const [path, bytes] of members) {
      if (/^(codelists|metadata)\/.*\.xml$/.test(path))
        papers.push([path, bytes.toString().slice(0, 20_000)]);
    }
  }
  return {
    name: 'code-lists',
    batch: 50,
    async run(random, keep) {
      const [path, text] = random.pick(papers);
      const changed = Buffer.from(mutateText(text, random, TOKENS));
      const bytes = random.int(0, 3) === 0 ? mutateBytes(changed, random) : changed;
      keep(() => bytes);
      const list = parseCodeList(bytes);
      for (const [code, label] of list) assert.ok(typeof code === 'string' && typeof label === 'string');
      const { license, spec, authorities } = await readPackageMetadata(memoryFiles({ [path]: bytes }));
      for (const text of [license, spec, ...authorities.values()]) {
        assert.ok(text === null || typeof text === 'string' || typeof text === 'object');
      }
      return list.size > 0 || license !== null ? 'accepted' : 'refused';
    },
  };
};

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { memoryFiles } from '@citymodel/tiles/testing';
import { readPackageMetadata } from './metadata.ts';

const paper = (text: string) => `<?xml version="1.0"?><a:MD_Metadata xmlns:a="x">${text}</a:MD_Metadata>`;
const named = (version: string) =>
  `<a:specification>3D都市モデル標準製品仕様書 第${version}版</a:specification>`;
const read = (files: Record<string, string>) => readPackageMetadata(memoryFiles(files));

describe('metadata of a package', () => {
  it('names the highest version of the specification, number by number', async () => {
    const files = {
      'metadata/a.xml': paper(named('4.10') + named('4.9')),
      'metadata/b.xml': paper(named(' 3 ')),
    };
    assert.equal((await read(files)).spec, '4.10');
    assert.equal((await read({ 'metadata/a.xml': paper(named('4')) })).spec, '4.0');
    for (const edition of ['6', '6.0'])
      assert.equal((await read({ 'metadata/a.xml': paper(named(edition)) })).spec, '6', 'as i-UR 4.0 has it');
    assert.equal(
      (await read({ 'metadata/deep/a.xml': paper(named('4')), 'other.xml': paper(named('4')) })).spec,
      null,
    );
  });

  it('has the licence, else the first limitation of use', async () => {
    const limits = (text: string) => `<a:useLimitation>${text}</a:useLimitation>`;
    const license = async (text: string) => (await read({ 'metadata/a.xml': paper(text) })).license;
    assert.equal(await license(limits('see below') + limits(' CC BY 4.0 ')), 'CC BY 4.0');
    assert.equal(await license(limits('see below') + limits('ask')), 'see below');
    const nested = '<a:otherConstraints><a:text>公共データ利用規約</a:text></a:otherConstraints>';
    assert.equal(await license(limits('see below') + nested), '公共データ利用規約');
    assert.equal(await license('<a:abstract>CC BY</a:abstract>'), null);
    assert.equal((await license(limits('x'.repeat(9_000))))?.length, 2_000);
  });

  it('has the names of areas by their codes, and nothing else of the list', async () => {
    const entry = (code: string, name: string) =>
      `<g:dictionaryEntry><g:Definition><g:description>${name}</g:description><g:name>${code}</g:name>` +
      `</g:Definition></g:dictionaryEntry>`;
    const list = paper(
      entry('13', '東京都') + entry('13101', '東京都千代田区') + entry('x', 'y') + entry('13102', ''),
    );
    const { authorities } = await read({ 'codelists/Common_localPublicAuthorities.xml': list });
    assert.deepEqual(
      [...authorities],
      [
        ['13', '東京都'],
        ['13101', '東京都千代田区'],
      ],
    );
  });

  it('reads papers and lists of 8 MiB at most', async () => {
    const limits: Array<number | undefined> = [];
    const files = memoryFiles({
      'metadata/a.xml': paper(''),
      'codelists/Common_localPublicAuthorities.xml': paper(''),
    });
    await readPackageMetadata({
      ...files,
      read(path, limit) {
        limits.push(limit);
        return files.read(path, limit);
      },
    });
    assert.deepEqual(limits, [8 * 2 ** 20, 8 * 2 ** 20]);
  });

  it('takes broken papers as far as they go', async () => {
    const broken = `${paper(named('2.3')).slice(0, -10)}<useLimitation>CC BY</wrong>`;
    const { spec, license } = await read({ 'metadata/a.xml': broken, 'metadata/b.xml': 'no xml' });
    assert.deepEqual([spec, license], ['2.3', null]);
  });
});

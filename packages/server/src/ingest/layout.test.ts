import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findLayout, rootIssue } from './layout.ts';
import { PackageRefused } from './upload.ts';

const GML = 'udx/bldg/53394509_bldg_6697_op.gml';

function refusal(names: string[]): string {
  try {
    findLayout(names, '/x.zip');
  } catch (error) {
    assert.ok(error instanceof PackageRefused);
    assert.match(error.reason, /^\/x\.zip holds /);
    return error.code;
  }
  assert.fail('it is accepted');
}

describe('the layout of a package', () => {
  it('is CityGML by a GML below udx/, at the root or in a directory', () => {
    assert.deepEqual(findLayout(['README.md', GML], ''), { kind: 'citygml', root: '', tileExtension: null });
    assert.equal(findLayout([`a/b/${GML}`], '').root, 'a/b/');
    assert.equal(findLayout([GML, 'tiles/tileset.json', '10/1/2.mvt'], '').kind, 'citygml');
    assert.equal(findLayout([GML.replace('.gml', '.GML')], '').kind, 'citygml');
  });

  it('is 3D Tiles by the uppermost tileset.json, or what several side by side have in common', () => {
    const rootOf = (...names: string[]) => findLayout(names, '').root;
    assert.equal(rootOf('a/tileset.json'), 'a/');
    assert.equal(rootOf('a/b/tileset.json', 'a/tileset.json', 'a/c/tileset.json'), 'a/');
    assert.equal(rootOf('a/b/tileset.json', 'a/c/tileset.json'), 'a/');
    assert.equal(rootOf('a/bc/tileset.json', 'a/bd/tileset.json'), 'a/');
    assert.equal(rootOf('b/tileset.json', 'c/tileset.json'), '');
    assert.equal(rootOf('a/b/c/tileset.json', 'a/b/d/tileset.json', 'a/x/e/tileset.json'), 'a/');
    assert.equal(rootOf('ab/c/tileset.json', 'abc/tileset.json'), 'abc/');
    assert.equal(rootOf('a/bcd/tileset.json', 'a/b/tileset.json'), 'a/');
    assert.equal(rootOf('tileset.json', 'a/tileset.json'), '');
    assert.equal(findLayout(['x/mytileset.json', '1/1/1.mvt'], '').kind, 'mvt');
  });

  it('is MVT by tiles, whose extension it tells', () => {
    assert.deepEqual(findLayout(['t/10/909/403.pbf'], ''), { kind: 'mvt', root: 't/', tileExtension: 'pbf' });
    assert.equal(findLayout(['10/909/403.mvt', '9/1/2.mvt'], '').tileExtension, 'mvt');
  });

  it('is refused where there is none, or more than one', () => {
    assert.equal(refusal([]), 'NOT_A_PACKAGE');
    assert.equal(refusal(['a.txt', 'udx/readme.txt', 'b.gml']), 'NOT_A_PACKAGE');
    assert.equal(refusal([`a/${GML}`, `b/${GML}`]), 'SEVERAL_PACKAGES');
    assert.equal(refusal(['a/10/1/2.mvt', 'b/10/1/2.mvt']), 'SEVERAL_PACKAGES');
  });

  it('is refused with the first five names that there are', () => {
    const reason = (names: string[]) => {
      try {
        findLayout(names, '/x.zip');
      } catch (error) {
        return (error as PackageRefused).reason;
      }
      assert.fail('it is accepted');
    };
    assert.match(reason(['a', 'b']), /; it begins with a, b\.$/);
    assert.match(reason(['a', 'b', 'c', 'd', 'e', 'f']), /; it begins with a, b, c, d, e\.$/);
    assert.match(reason([]), /holds no files that can be read/);
  });

  it('is odd where it begins in a directory of another name', () => {
    const at = (root: string) => rootIssue({ kind: 'citygml', root, tileExtension: null }, 'name');
    assert.equal(at(''), null);
    assert.equal(at('name/'), null);
    assert.equal(at('name')?.code, 'ODD_ROOT');
    assert.match(at('other/')!.message, /begins in the directory other\/, not at the root or in name\//);
    assert.equal(at('other/')?.code, 'ODD_ROOT');
    assert.equal(at('other/name/')?.code, 'ODD_ROOT');
  });
});

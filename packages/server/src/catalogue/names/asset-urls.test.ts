import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { ServiceError } from '../../base/errors.ts';
import { AssetUrls, parseAssetPath } from './asset-urls.ts';

const urls = new AssetUrls({
  publicUrl: 'https://data.example/',
  assetUrl: 'http://cms.example:8080/a/assets/',
  cmsHosts: ['old.example', ' Other.example:81 ', ''],
});
const of = {
  assetPath: '59/984b81-8516-4e13-a8f5-2ca24e272c3e',
  name: '13101_chiyoda-ku_city_2023_citygml_1_op',
};
const base = `http://cms.example:8080/a/assets/${of.assetPath}/${of.name}`;

test('assets lie below the asset address, their zips beside the package directory', () => {
  assert.equal(urls.member(of, 'udx/bldg/1_op.gml'), `${base}/udx/bldg/1_op.gml`);
  assert.equal(urls.member(of, '{z}/{x}/{y}.mvt'), `${base}/{z}/{x}/{y}.mvt`);
  assert.equal(urls.archive(of), `${base}.zip`);
  assert.equal(urls.metadataZip(of, 'codelists'), `${base}_codelists.zip`);
  assert.equal(
    urls.tileset('all-bldg-lod1-latest'),
    'https://data.example/datacatalog/3dtiles/all-bldg-lod1-latest/tileset.json',
  );
  assert.equal(
    urls.ofSpec('mvt', '13101-urf-2023'),
    'https://data.example/datacatalog/mvt/13101-urf-2023/tilejson.json',
  );
  assert.equal(
    urls.cityZip('13101-latest'),
    'https://data.example/datacatalog/citygml/13101-latest/citygml.zip',
  );
});

test('every URL that is built is read back', () => {
  const name = fc.stringMatching(/^[a-zA-Z0-9_.% +都市#?-]{1,20}$/u).filter((part) => !/^\.+$/.test(part));
  fc.assert(
    fc.property(name, fc.array(name, { minLength: 1, maxLength: 4 }), (packageName, path) => {
      const row = { assetPath: of.assetPath, name: packageName };
      assert.deepEqual(urls.parse(urls.member(row, path.join('/'))), {
        kind: 'member',
        assetPath: of.assetPath,
        packageName,
        path: path.join('/'),
      });
      const archive = urls.parse(urls.archive(row));
      if (!/_(codelists|metadata|schemas|specification)$/.test(packageName)) {
        assert.deepEqual(archive, { kind: 'archive', assetPath: of.assetPath, packageName });
      }
      assert.deepEqual(urls.parse(urls.metadataZip(row, 'schemas')), {
        kind: 'metadata',
        directory: 'schemas',
        assetPath: of.assetPath,
        packageName,
      });
    }),
  );
});

test('alias hosts mean the same path, other hosts and other text are refused', () => {
  const path = `/a/assets/${of.assetPath}/${of.name}/udx/x.gml`;
  for (const host of [
    'http://cms.example:8080',
    'https://old.example',
    'https://old.example:444',
    'http://OTHER.example:81',
  ]) {
    assert.equal(urls.parse(`${host}${path}`)?.kind, 'member', host);
  }
  const refused = (url: string, error: string) =>
    assert.throws(
      () => urls.parse(url),
      (thrown) =>
        thrown instanceof ServiceError &&
        thrown.status === 400 &&
        thrown.message === error &&
        thrown.url === url,
      url,
    );
  refused(`http://cms.example${path}`, 'invalid domain');
  refused(`http://other.example${path}`, 'invalid domain');
  refused(`https://evil.example${path}`, 'invalid domain');
  refused(`https://old.example@evil.example${path}`, 'invalid domain');
  refused(`https://old.example.evil.example${path}`, 'invalid domain');
  refused('file:///a/assets/x', 'invalid url');
  refused('udx/bldg/x.gml', 'invalid url');
  refused('', 'invalid url');
});

test('a URL on our host that has not the shape of an asset names nothing', () => {
  for (const path of [
    '/',
    '/other/59/x/y.zip',
    '/a/assets',
    '/a/assets/59/x',
    '/a/assets/59/x/name',
    '/a/assets/59/x/.zip',
    '/a/assets/5/x/n/p',
    '/a/assets/59/x/n//p',
    '/a/assets/59/x/n/',
    '/a/assets/../secret',
    '/a/assets/59/x/n/%2e%2e/%2e%2e/%2e%2e/%2e%2e/y',
  ]) {
    assert.equal(urls.parse(`http://cms.example:8080${path}`), null, path);
  }
});

test('paths that could leave the package are nothing, however they are encoded', () => {
  for (const path of [
    '59/x/n/../p',
    '59/x/n/%2e%2e/p',
    '59/x/n/..%2fp',
    '59/x/n/.%2e/p',
    '59/x/n/a%00b',
    '59/x/n/a%5c..%5cb',
    '59/x/n/%zz',
    '59/x/n/%e3%81',
  ]) {
    assert.equal(parseAssetPath(path), null, path);
  }
  assert.deepEqual(parseAssetPath('/59%2fx/n/udx%2Fbldg/%E9%83%BD.gml'), {
    kind: 'member',
    assetPath: '59/x',
    packageName: 'n',
    path: 'udx/bldg/都.gml',
  });
});

test('refusals repeat little of a URL', () => {
  const long = 'a'.repeat(9_000);
  for (const url of [long, `https://${long}/b`, `${long}://b/c`, `https://cms.example.${long}/b`]) {
    assert.throws(
      () => urls.parse(url),
      (error: ServiceError) => error.reason!.length < 1_000,
    );
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namespaceContext, parseFeature } from '@citymodel/citygml';
import { Appearances } from './appearances.ts';
import { keyOf } from './key.ts';

const CONTEXT = namespaceContext(
  Buffer.from(
    '<core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0" xmlns:gml="http://www.opengis.net/gml" ' +
      'xmlns:app="http://www.opengis.net/citygml/appearance/2.0" xmlns:xlink="http://www.w3.org/1999/xlink">',
  ),
);
const PATH = 'udx/bldg/53394525_bldg_6697_op.gml';

/** Each text is an appearance of its own. */
function appearancesOf(...texts: string[]): Appearances {
  const found = new Appearances(PATH);
  for (const text of texts) {
    found.add(
      parseFeature(
        Buffer.from(
          `<app:Appearance><app:surfaceDataMember>${text}</app:surfaceDataMember></app:Appearance>`,
        ),
        CONTEXT,
      ),
    );
  }
  return found;
}

const coordinates = (ring: string, text: string) =>
  `<app:textureCoordinates ring="#${ring}">${text}</app:textureCoordinates>`;
const texture = (uri: string, inside: string, more = '') =>
  `<app:ParameterizedTexture>${more}<app:imageURI>${uri}</app:imageURI>${inside}</app:ParameterizedTexture>`;
const target = (uri: string, inside: string) => `<app:target uri="#${uri}">${inside}</app:target>`;
const list = (...rings: string[]) => `<app:TexCoordList>${rings.join('')}</app:TexCoordList>`;
const ring = (found: Appearances, name: string) => {
  const of = found.textureOf(keyOf(name));
  return of === null ? null : [found.images[of.image], [...of.uvs]];
};

test('a ring has an image and coordinates, the first that is named for it', () => {
  const found = appearancesOf(
    texture('a.jpg', target('p', list(coordinates('r', ' 0 0 1\n0.5 '), coordinates('s', '0.25 1')))),
    texture('b.jpg', target('p', list(coordinates('r', '1 1'), coordinates('t', '0.5 0.5')))),
    texture('a.jpg', target('q', list(coordinates('u', '')))),
  );
  assert.deepEqual(found.images, ['udx/bldg/a.jpg', 'udx/bldg/b.jpg']);
  assert.deepEqual(ring(found, 'r'), ['udx/bldg/a.jpg', [0, 0, 1, 0.5]]);
  assert.deepEqual(ring(found, 's'), ['udx/bldg/a.jpg', [0.25, 1]]);
  assert.deepEqual(ring(found, 't'), ['udx/bldg/b.jpg', [0.5, 0.5]]);
  assert.deepEqual(ring(found, 'u'), ['udx/bldg/a.jpg', []]);
  assert.equal(ring(found, 'v'), null);
  assert.deepEqual([found.hasImages, found.isEmpty, found.unread], [true, false, 0]);
});

test('coordinates that name no ring are nobody’s, also not those of rings without an id', () => {
  const found = appearancesOf(
    texture(
      'a.jpg',
      target('p', list(coordinates('', '0 0'), '<app:textureCoordinates>1 1</app:textureCoordinates>')),
    ),
  );
  assert.deepEqual([found.textureOf(0), found.hasImages, found.isEmpty], [null, false, true]);
});

test('rings of a file may be many: each keeps its own image and coordinates', () => {
  const count = 1_500;
  const found = new Appearances(PATH);
  for (let i = 0; i < count; i++) {
    const text = texture(`${i % 7}.jpg`, target(`p${i}`, list(coordinates(`r${i}`, `${i} 1 ${i + 0.5} 2`))));
    found.add(parseFeature(Buffer.from(text), CONTEXT));
  }
  for (let i = 0; i < count; i++)
    assert.deepEqual(ring(found, `r${i}`), [`udx/bldg/${i % 7}.jpg`, [i, 1, i + 0.5, 2]]);
});

test('CityGML 3.0 has targets and coordinates in associations, and rings in elements', () => {
  const association = (inside: string) =>
    `<app:textureParameterization><app:TextureAssociation>${inside}</app:TextureAssociation>` +
    '</app:textureParameterization>';
  const how = (rings: string) =>
    `<app:textureParameterization><app:TexCoordList>${rings}</app:TexCoordList></app:textureParameterization>`;
  const found = appearancesOf(
    texture(
      'a.jpg',
      association(
        '<app:target>#p</app:target>' +
          how(
            '<app:textureCoordinates>0 1</app:textureCoordinates><app:textureCoordinates>2 3' +
              '</app:textureCoordinates><app:textureCoordinates>4 5</app:textureCoordinates>' +
              '<app:ring>#r</app:ring><app:ring>#s</app:ring>',
          ),
      ) +
        association('<app:target>#q</app:target>') +
        association(how('')) +
        '<app:textureParameterization/>',
    ),
  );
  assert.deepEqual(
    [ring(found, 'r'), ring(found, 's')],
    [
      ['udx/bldg/a.jpg', [0, 1]],
      ['udx/bldg/a.jpg', [2, 3]],
    ],
  );
  assert.equal(found.unread, 3);
});

test('images for the back of surfaces are not shown, nor is what names no image', () => {
  const back = '<app:isFront>false</app:isFront>';
  const coords = target('p', list(coordinates('r', '0 0')));
  const ground = (more: string) =>
    `<app:GeoreferencedTexture>${more}<app:target>#p</app:target></app:GeoreferencedTexture>`;
  const found = appearancesOf(
    texture('a.jpg', coords, back),
    `<app:ParameterizedTexture>${coords}</app:ParameterizedTexture>`,
    ground(`${back}<app:imageURI>b.jpg</app:imageURI>`),
    ground(''),
    `<app:X3DMaterial>${back}<app:target>#p</app:target></app:X3DMaterial>`,
  );
  assert.deepEqual(
    [ring(found, 'r'), found.laidOn([keyOf('p')]), found.colourOf([keyOf('p')])],
    [null, null, null],
  );
  // An image that is named counts as one of the package.
  assert.deepEqual(found.images, ['udx/bldg/a.jpg', 'udx/bldg/b.jpg']);
  assert.deepEqual([found.hasImages, found.isEmpty], [false, true]);
});

test('references to images lead from the file through folders, with blanks, backslashes and percent-encoding', () => {
  const pathOf = (uri: string) => appearancesOf(texture(uri, '')).images[0];
  assert.equal(pathOf('x_appearance/1.jpg'), 'udx/bldg/x_appearance/1.jpg');
  assert.equal(pathOf(' x_appearance\\1.jpg\n'), 'udx/bldg/x_appearance/1.jpg');
  assert.equal(pathOf('../a/./b/%E5%AE%B6.jpg'), 'udx/a/b/家.jpg');
  assert.equal(pathOf('100%.jpg'), 'udx/bldg/100%.jpg');
});

test('a material has a diffuse colour and transparency, or those of the standard', () => {
  const material = (inside: string) =>
    `<app:X3DMaterial>${inside}<app:target>#p</app:target><app:target uri="#q"/></app:X3DMaterial>`;
  const colourOf = (inside: string) => appearancesOf(material(inside)).colourOf([keyOf('x'), keyOf('q')]);
  assert.deepEqual(colourOf(''), [0.8, 0.8, 0.8, 1]);
  const diffuse = '<app:diffuseColor>0.1 0.2 0.3</app:diffuseColor>';
  assert.deepEqual(colourOf(diffuse), [0.1, 0.2, 0.3, 1]);
  assert.deepEqual(colourOf(`${diffuse}<app:transparency>0.25</app:transparency>`), [0.1, 0.2, 0.3, 0.75]);
  assert.deepEqual(colourOf('<app:diffuseColor>2 -1 0</app:diffuseColor>'), [1, 0, 0, 1]);
  assert.deepEqual(colourOf('<app:transparency>x</app:transparency>'), [0.8, 0.8, 0.8, 1]);
  for (const wrong of ['0.1 0.2', '0 0 0 0', 'a b c'])
    assert.equal(colourOf(`<app:diffuseColor>${wrong}</app:diffuseColor>`), null, wrong);
  const two = appearancesOf(material(diffuse), material(''));
  assert.deepEqual(two.colourOf([keyOf('p')]), [0.1, 0.2, 0.3, 1], 'the first');
  assert.equal(two.colourOf([keyOf('x')]), null);
  assert.deepEqual([two.hasImages, two.isEmpty], [false, false]);
});

test('a picture of the ground is where its reference says, or a file beside it', () => {
  const ground = (inside: string) =>
    `<app:GeoreferencedTexture><app:imageURI>a.tif</app:imageURI>${inside}<app:target>#p</app:target>` +
    '</app:GeoreferencedTexture>';
  const placed =
    '<app:referencePoint><gml:Point srsName="EPSG:6677"><gml:pos>5 6</gml:pos></gml:Point></app:referencePoint>' +
    '<app:orientation>1 2 3 4</app:orientation>';
  const one = appearancesOf(ground(placed), ground(''));
  assert.equal(one.laidOn([0, keyOf('x'), keyOf('p')]), 0, 'the first');
  assert.equal(one.laidOn([keyOf('x')]), null);
  assert.deepEqual(one.laid, [
    {
      image: 0,
      srsName: 'EPSG:6677',
      by: { kind: 'ground', inline: [1, 2, 3, 4, 5, 6], prefersWorldFile: true },
    },
    { image: 0, srsName: null, by: { kind: 'ground', inline: null, prefersWorldFile: true } },
  ]);
  const by = (inside: string) => appearancesOf(ground(inside)).laid[0]!.by as { prefersWorldFile: boolean };
  for (const [text, expected] of [
    ['false', false],
    ['0', false],
    ['true', true],
    ['1', true],
  ] as const)
    assert.equal(by(`<app:preferWorldFile>${text}</app:preferWorldFile>`).prefersWorldFile, expected, text);
  // A height, and numbers that are too few.
  const inline = (inside: string) => appearancesOf(ground(inside)).laid[0]!.by as { inline: unknown };
  assert.deepEqual(inline(placed.replace('5 6', '5 6 7')).inline, [1, 2, 3, 4, 5, 6]);
  assert.equal(inline(placed.replace('5 6', '5')).inline, null);
  assert.equal(inline(placed.replace('1 2 3 4', '1 2 x 4')).inline, null);
});

test('an image is laid by a matrix, also by one that is named before or after it is there', () => {
  const generator = (id: string, numbers: string) =>
    `<app:TexCoordGen gml:id="${id}"><app:worldToTexture srsName="EPSG:6697">${numbers}</app:worldToTexture>` +
    '</app:TexCoordGen>';
  const refer = (uri: string, id: string) => `<app:target uri="#${uri}" xlink:href="#${id}"/>`;
  const found = appearancesOf(
    texture('a.jpg', refer('before', 'g') + refer('early', 'g')),
    texture('b.jpg', target('own', generator('g', '1 2 3'))),
    texture('c.jpg', refer('after', 'g') + refer('never', 'h')),
  );
  const laid = (name: string) => {
    const number = found.laidOn([keyOf(name)]);
    return number === null ? null : found.images[found.laid[number]!.image];
  };
  assert.deepEqual(['before', 'early', 'own', 'after', 'never'].map(laid), [
    'udx/bldg/a.jpg',
    'udx/bldg/a.jpg',
    'udx/bldg/b.jpg',
    'udx/bldg/c.jpg',
    null,
  ]);
  for (const { srsName, by } of found.laid)
    assert.deepEqual([srsName, by], ['EPSG:6697', { kind: 'matrix', numbers: [1, 2, 3] }]);
  assert.deepEqual([found.hasImages, found.isEmpty], [true, false]);
});

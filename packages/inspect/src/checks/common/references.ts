/** T03 and the check of targets: references lead somewhere, and to geometry. */
import { posix } from 'node:path';
import type { XmlElement } from '@citymodel/citygml';
import { type CheckFacts, defineCheck, type FileVisitor, type Finding, IN_FILE } from '../../check.ts';
import { idOf, xpathBelow, xpathOf } from '../../elements.ts';
import { elementsById } from '../../geometry/lod-geometry.ts';
import { firstPosition } from '../../geometry/plane-polygon.ts';

const GEOMETRY = new Set(
  [
    'pos',
    'posList',
    'Point',
    'MultiPoint',
    'LineString',
    'LinearRing',
    'Polygon',
    'OrientableSurface',
    'MultiSurface',
    'CompositeSurface',
    'Solid',
    'Triangle',
    'TriangulatedSurface',
    'Tin',
  ].map((name) => `gml:${name}`),
);

interface Reference {
  href: string;
  tag: string;
  /** Null until it is reported: solids refer to all their surfaces, and few references are wrong. */
  xpath: string | null;
  element: XmlElement | null;
  line: number;
  type: string;
  id: string | null;
}

/** With the first position of the feature. */
type NamedReference = Omit<Reference, 'element' | 'xpath'> &
  Required<Pick<Finding, 'position'>> & { xpath: string };

interface Target {
  tag: string;
  xpath(): string;
}

const COMMON = {
  severity: 'error',
  specs: [4, 6],
  folders: null,
  summary: 'common',
} satisfies Partial<CheckFacts>;

/** Collects references, and shows those of a member with what may be meant by them once it is whole. */
function references(
  see: (
    references: readonly Reference[],
    targetOf: (id: string) => Target | undefined,
    named: (reference: Reference) => NamedReference,
  ) => void,
): FileVisitor<never> {
  let found: Reference[] = [];
  // Polygons of a large member go by and are not kept.
  const passed = new Map<string, Target>();
  return {
    looksAt: (_, hasAttributes) => hasAttributes,
    element(element, above, { feature, line, isLarge }) {
      const id = isLarge ? idOf(element) : null;
      if (id !== null && !passed.has(id)) {
        const xpath = xpathOf(element, above);
        passed.set(id, { tag: element.name, xpath: () => xpath });
      }
      const href = element.attributes['xlink:href'];
      if (href?.includes('#')) {
        const place = { line, type: feature.name, id: idOf(feature) };
        const way = isLarge ? { xpath: xpathOf(element, above), element: null } : { xpath: null, element };
        found.push({ href, tag: element.name, ...way, ...place });
      }
    },
    member(member) {
      if (found.length > 0) {
        const { feature } = member;
        const targetOf = (id: string) => {
          const element = passed.size > 0 ? undefined : elementsById(member).get(id);
          if (element === undefined) return passed.get(id);
          return { tag: element.name, xpath: () => xpathBelow(feature, element) };
        };
        see(found, targetOf, ({ element, xpath, ...rest }) => ({
          ...rest,
          position: firstPosition(feature),
          xpath: xpath ?? xpathBelow(feature, element!),
        }));
      }
      found = [];
      passed.clear();
    },
  };
}

export const REFERENCED_TYPES = defineCheck({
  ...COMMON,
  code: 'T03',
  name: 'T03エラー',
  title: { ja: '幾何でないものへの参照', en: 'References to what is no geometry' },
  rule: {
    ja: '同じ地物の中を指す xlink:href の参照先が、幾何の要素であること。',
    en: 'An xlink:href that leads to an element of the same feature leads to geometry.',
  },
  table: {
    file: '01_共通_T03エラー',
    columns: [...IN_FILE, 'XPath', 'XML Tag', 'xlink:href', 'ref XPath', 'ref Tag', 'ref gml:id'],
  },
  open: (file) =>
    references((found, targetOf, named) => {
      for (const reference of found) {
        const { href } = reference;
        const target = href.startsWith('#') ? targetOf(href.slice(1)) : undefined;
        if (target === undefined || GEOMETRY.has(target.tag)) continue;
        const { tag, xpath, line, type, id } = named(reference);
        file.report({
          id,
          ref: href.slice(1),
          line,
          type,
          message: `${xpath} refers to ${target.tag}, which is no geometry.`,
          row: {
            XPath: xpath,
            'XML Tag': tag,
            'xlink:href': href,
            'ref XPath': target.xpath(),
            'ref Tag': target.tag,
            'ref gml:id': href.slice(1),
          },
        });
      }
    }),
});

/** A reference that another place than its own feature may answer. */
interface OpenReference extends NamedReference {
  /** Path of the file that is meant. */
  target: string;
}

export const REFERENCE_TARGETS = defineCheck<OpenReference[]>({
  ...COMMON,
  code: 'xlink',
  name: 'xlink参照先なし',
  title: { ja: '参照先のない xlink', en: 'References that lead nowhere' },
  rule: {
    ja: 'xlink:href の参照先が同じ地物の中に存在すること（CityObjectGroup は同じファイル、ファイル名付きの参照はそのファイルの中）。',
    en:
      'The target of an xlink:href is in the same feature; that of a CityObjectGroup is in the same file, and ' +
      'that of a reference with a file name in that file.',
  },
  table: { file: '01_共通_xlink参照先なし', columns: [...IN_FILE, 'XPath', 'XML Tag', 'xlink:href'] },
  open(file) {
    const open: OpenReference[] = [];
    const visitor = references((found, targetOf, named) => {
      for (const reference of found) {
        const [path, id] = reference.href.split('#', 2) as [string, string];
        if (path !== '') {
          if (/^[a-z][a-z0-9+.-]*:/i.test(path)) continue;
          const target = posix.normalize(posix.join(posix.dirname(file.path), decoded(path)));
          open.push({ ...named(reference), target });
        } else if (targetOf(id) === undefined) {
          if (reference.type === 'grp:CityObjectGroup') open.push({ ...named(reference), target: file.path });
          else report((finding) => file.report(finding), named(reference));
        }
      }
    });
    return { ...visitor, end: () => (open.length > 0 ? open : undefined) };
  },
  async join(files, context) {
    const wanted = new Map<string, Set<string>>();
    for (const { target, href } of files.flatMap(({ carry }) => carry)) {
      const ids = wanted.get(target) ?? new Set();
      wanted.set(target, ids.add(href.slice(href.indexOf('#') + 1)));
    }
    const found = new Map<string, Set<string>>();
    for (const [path, ids] of wanted) {
      if (!context.paths.includes(path)) continue;
      const there = new Set<string>();
      await context.revisit(path, {
        element(element: XmlElement) {
          const id = idOf(element);
          if (id !== null && ids.has(id)) there.add(id);
        },
      });
      found.set(path, there);
    }
    for (const { path, carry } of files) {
      for (const reference of carry) {
        const id = reference.href.slice(reference.href.indexOf('#') + 1);
        if (found.get(reference.target)?.has(id)) continue;
        report((finding) => context.report(path, finding), reference);
      }
    }
  },
});

function report(
  to: (finding: Finding) => void,
  { href, tag, xpath, line, type, id, position }: NamedReference,
): void {
  to({
    id,
    ref: href,
    line,
    type,
    position,
    message: `${xpath} refers to ${href}, which is not there.`,
    row: { XPath: xpath, 'XML Tag': tag, 'xlink:href': href },
  });
}

/** A path with its percent signs resolved; as it is where they mean nothing. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

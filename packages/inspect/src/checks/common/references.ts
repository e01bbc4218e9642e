/** T03 and the check of targets: references lead somewhere, and to geometry. */
import { posix } from 'node:path';
import type { XmlElement } from '@citymodel/citygml';
import { type CheckFacts, defineCheck, type FileContext, type FileVisitor, IN_FILE } from '../../check.ts';
import { idOf, xpathOf } from '../../elements.ts';

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
  xpath: string;
  line: number;
  type: string;
  id: string | null;
}

interface Target {
  tag: string;
  xpath: string;
}

const COMMON = {
  severity: 'error',
  specs: [4, 6],
  folders: null,
  summary: 'common',
} satisfies Partial<CheckFacts>;

/** Collects references and what may be meant by them; shows each member's once it is whole. */
function references(
  see: (references: readonly Reference[], targets: ReadonlyMap<string, Target>) => void,
): FileVisitor<never> {
  let found: Reference[] = [];
  const targets = new Map<string, Target>();
  return {
    element(element, above, { feature, line }) {
      const id = idOf(element);
      if (id !== null && !targets.has(id)) {
        targets.set(id, { tag: element.name, xpath: xpathOf(element, above) });
      }
      const href = element.attributes['xlink:href'];
      if (href?.includes('#')) {
        const place = { line, type: feature.name, id: idOf(feature) };
        found.push({ href, tag: element.name, xpath: xpathOf(element, above), ...place });
      }
    },
    member() {
      if (found.length > 0) see(found, targets);
      found = [];
      targets.clear();
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
    references((found, targets) => {
      for (const { href, tag, xpath, line, type, id } of found) {
        const target = href.startsWith('#') ? targets.get(href.slice(1)) : undefined;
        if (target === undefined || GEOMETRY.has(target.tag)) continue;
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
            'ref XPath': target.xpath,
            'ref Tag': target.tag,
            'ref gml:id': href.slice(1),
          },
        });
      }
    }),
});

/** A reference that another place than its own feature may answer. */
interface OpenReference extends Reference {
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
    en: 'The target of an xlink:href is in the same feature; that of a CityObjectGroup is in the same file, and that of a reference with a file name in that file.',
  },
  table: { file: '01_共通_xlink参照先なし', columns: [...IN_FILE, 'XPath', 'XML Tag', 'xlink:href'] },
  open(file) {
    const open: OpenReference[] = [];
    const visitor = references((found, targets) => {
      for (const reference of found) {
        const [path, id] = reference.href.split('#', 2) as [string, string];
        if (path !== '') {
          if (/^[a-z][a-z0-9+.-]*:/i.test(path)) continue;
          const target = posix.normalize(posix.join(posix.dirname(file.path), decoded(path)));
          open.push({ ...reference, target });
        } else if (!targets.has(id)) {
          if (reference.type === 'grp:CityObjectGroup') open.push({ ...reference, target: file.path });
          else report(file.report, reference);
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

function report(to: FileContext['report'], { href, tag, xpath, line, type, id }: Reference): void {
  to({
    id,
    ref: href,
    line,
    type,
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

/** What features are like: counts by class, each a filter, and the request that gives the same as data. */

import type { Bounds } from '@citymodel/geo';
import { useMemo, useState } from 'preact/hooks';
import { config } from '../core/config.ts';
import { FORMAT_NAMES, featuresFile, featuresPath, TABLE_FORMATS } from '../core/feature-query.ts';
import { current, update, usePart, useWords } from '../core/store.ts';
import { InWords } from '../ui/in-words.tsx';
import { Copy, Segments } from '../ui/parts.tsx';
import { countClasses, type LegendEntry, NAMED, type Named, propertiesFor, scaleFor } from './colouring.ts';
import { featureFilter, interfaceName, readerOf } from './filter.ts';
import type { ThreeKey } from './strings.ts';
import type { TileScene } from './tile-scene.ts';
import { conditionOn, toggleCondition } from './where.ts';
import { useThree } from './words.ts';

interface ExploreProps {
  scene: TileScene;
  names: ReadonlySet<string>;
  /** Feature-type code. */
  type: string;
  /** Code of a municipality or ward; null for all. */
  city: string | null;
  /** Null: the newest. */
  year: number | null;
  bounds: Bounds;
}

const FACETS: Array<[Named, ThreeKey]> = [
  ['structure', 'facetStructure'],
  ['year', 'facetYear'],
  ['height', 'facetHeight'],
  ['use', 'facetUse'],
];

interface Facet {
  key: Named;
  title: ThreeKey;
  name: string;
  legend: LegendEntry[];
  counts: number[];
}

export function Explore({ scene, names, type, city, year, bounds }: ExploreProps) {
  const { number } = useWords();
  const three = useThree();
  const where = usePart((s) => s.where);
  const [isOpen, setOpen] = useState(current().where !== '');
  // Features are gone through when somebody looks.
  const facets = useMemo(() => (isOpen ? facetsOf(scene, names) : []), [scene, names, isOpen]);
  const counts = useMemo(() => {
    if (!isOpen && where === '') return null;
    const accepts = featureFilter(where, names);
    const drawn = scene.values((source) => accepts === null || accepts(source));
    return { shown: drawn.filter(Boolean).length, all: drawn.length };
  }, [scene, names, isOpen, where]);
  return (
    <section class="explore">
      {where !== '' && (
        <p class="filter-now" role="status">
          {counts !== null && three('shownOf', { shown: number(counts.shown), all: number(counts.all) })}{' '}
          <button type="button" class="button small" onClick={() => update({ where: '' })}>
            {three('showAll')}
          </button>
        </p>
      )}
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{three('explore')}</summary>
        <p class="quiet small-text">{three('exploreHelp')}</p>
        {facets.map((facet) => (
          <FacetBars key={facet.key} facet={facet} where={where} />
        ))}
        {isOpen && (
          <AsData
            scene={scene}
            query={{ bounds, type, city, year, where }}
            count={counts === null ? '' : number(counts.shown)}
          />
        )}
      </details>
    </section>
  );
}

function FacetBars({ facet, where }: { facet: Facet; where: string }) {
  const { t, number } = useWords();
  const three = useThree();
  const { name, legend, counts } = facet;
  const most = Math.max(1, ...counts);
  const now = conditionOn(where, name);
  const labelOf = ({ kind, label }: LegendEntry) =>
    kind === 'other' ? t('colourOther') : kind === 'missing' ? t('colourMissing') : <InWords value={label} />;
  const choose = (entry: LegendEntry, isRange: boolean) => {
    const condition = isRange ? upTo(entry) : entry.condition!;
    update({ where: toggleCondition(current().where, name, condition) });
  };
  return (
    <div class="facet">
      <h3>{three(facet.title)}</h3>
      <ul>
        {legend.map((entry, i) => (
          <li key={`${entry.kind}${entry.label}`}>
            <button
              type="button"
              disabled={entry.condition === null}
              aria-pressed={entry.condition !== null && now === entry.condition}
              onClick={(event) => choose(entry, event.shiftKey)}
            >
              <span class="facet-label">{labelOf(entry)}</span>
              <span class="bar">
                <span style={{ width: `${(100 * counts[i]!) / most}%`, background: entry.colour }} />
              </span>
              <span class="count">{number(counts[i]!)}</span>
            </button>
          </li>
        ))}
      </ul>
      {facet.key === 'year' && (
        <button
          type="button"
          class="button small"
          aria-pressed={now === `${name}<1981`}
          onClick={() => update({ where: toggleCondition(current().where, name, `${name}<1981`) })}
        >
          {three('before1981')}
        </button>
      )}
    </div>
  );
}

/** The condition of a class with every lower one: its upper bound alone. */
function upTo({ condition }: LegendEntry): string {
  const parts = condition!.split(';');
  return parts.find((part) => part.includes('<')) ?? condition!;
}

function AsData({
  scene,
  query,
  count,
}: {
  scene: TileScene;
  query: Pick<ExploreProps, 'bounds' | 'type' | 'city' | 'year'> & { where: string };
  count: string;
}) {
  const three = useThree();
  const [area, setArea] = useState<'model' | 'view'>('model');
  const bounds = area === 'model' ? query.bounds : (scene.viewBounds() ?? query.bounds);
  const pathOf = (format: (typeof TABLE_FORMATS)[number]) =>
    featuresPath({ ...query, place: { bounds } }, format);
  const request = config.publicUrl + pathOf('geojson');
  return (
    <div class="as-data">
      <h3>{three('asData')}</h3>
      <Segments
        label={three('asData')}
        value={area}
        options={[
          ['model', three('takeModel')],
          ['view', three('takeView')],
        ]}
        onChoose={setArea}
      />
      <p class="row-buttons">
        {TABLE_FORMATS.map((format) => (
          <a
            key={format}
            class="button small"
            href={config.base + pathOf(format)}
            download={featuresFile(query.type, format)}
          >
            {FORMAT_NAMES[format]}
          </a>
        ))}
      </p>
      <p class="quiet small-text">{three('asDataNote', { count })}</p>
      <pre class="request">
        curl -o {featuresFile(query.type, 'geojson')} '{request}'
      </pre>
      <Copy text={`curl -o ${featuresFile(query.type, 'geojson')} '${request}'`} label="curl" />
    </div>
  );
}

function facetsOf(scene: TileScene, names: ReadonlySet<string>): Facet[] {
  return FACETS.flatMap(([key, title]) => {
    const properties = propertiesFor(NAMED[key], names);
    const name = interfaceName(properties);
    if (name === '') return [];
    const values = scene.values(readerOf(properties));
    const scale = scaleFor(key, name, values);
    return [{ key, title, name, legend: scale.legend, counts: countClasses(scale, values) }];
  });
}

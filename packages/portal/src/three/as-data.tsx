/** What is drawn, as files: the request of the interface with the same conditions. */
import type { Bounds } from '@citymodel/geo';
import { useState } from 'preact/hooks';
import { config } from '../core/config.ts';
import {
  type FeatureQuery,
  FORMAT_NAMES,
  featuresFile,
  featuresPath,
  roughly,
  sizeOf,
  TABLE_FORMATS,
  tableBytes,
} from '../core/feature-query.ts';
import { useWords } from '../core/store.ts';
import { Copy, Segments } from '../ui/parts.tsx';
import type { TileScene } from './tile-scene.ts';
import { useThree } from './words.ts';

/** What people open first comes first. */
const FORMATS = TABLE_FORMATS.toSorted((a, b) => Number(b === 'csv') - Number(a === 'csv'));

export function AsData({
  scene,
  query,
  count,
}: {
  scene: TileScene;
  query: Omit<FeatureQuery, 'place'> & { type: string; bounds: Bounds };
  /** Features that are drawn. */
  count: number;
}) {
  const { number, bytes } = useWords();
  const three = useThree();
  const [area, setArea] = useState<'model' | 'view'>('model');
  const bounds = area === 'model' ? query.bounds : (scene.viewBounds() ?? query.bounds);
  const pathOf = (format: (typeof TABLE_FORMATS)[number]) =>
    featuresPath({ ...query, place: { bounds } }, format);
  const request = config.publicUrl + pathOf('geojson');
  // Of a model that is wholly loaded; what is in view nobody has counted.
  const year = query.year ?? new Date().getFullYear();
  const sizes = tableBytes({ type: query.type, year, features: count, bytes: 0, maxLod: 1 });
  const sizeText = (format: (typeof TABLE_FORMATS)[number]) => {
    const size = area === 'model' ? sizeOf(sizes, format) : null;
    return size === null || size === 0 ? '' : `≈ ${bytes(roughly(size))}`;
  };
  const title = three('asData', { n: number(count) });
  return (
    <div class="as-data">
      <h3>{title}</h3>
      <Segments
        label={three('asDataArea')}
        value={area}
        options={[
          ['model', three('takeModel')],
          ['view', three('takeView')],
        ]}
        onChoose={setArea}
      />
      <p class="row-buttons">
        {FORMATS.map((format) => (
          <a
            key={format}
            class={format === 'csv' ? 'button small primary' : 'button small'}
            href={config.base + pathOf(format)}
            title={sizeText(format)}
            download={featuresFile(query.type, format)}
          >
            {FORMAT_NAMES[format]} {format === 'csv' && <small>{sizeText(format)}</small>}
          </a>
        ))}
      </p>
      <details>
        <summary>{three('apiCall')}</summary>
        <p class="quiet small-text">{three('asDataNote', { count: number(count) })}</p>
        <pre class="request">
          curl -o {featuresFile(query.type, 'geojson')} '{request}'
        </pre>
        <Copy text={`curl -o ${featuresFile(query.type, 'geojson')} '${request}'`} label="curl" />
      </details>
    </div>
  );
}

/** What is known of the feature that was clicked. */
import type { DatasetRow } from '../core/catalogue.ts';
import { useWords } from '../core/store.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { Address, Failure, Loading } from '../ui/parts.tsx';
import { AttributeList } from './attribute-list.tsx';
import type { Properties } from './colouring.ts';
import { findAttributes, typeOfFeature } from './find-attributes.ts';
import type { PickedFeature } from './tile-scene.ts';

interface FeaturePanelProps {
  id: string | null;
  feature: PickedFeature;
  /** The dataset that the feature's tile belongs to, when it is one of the catalogue. */
  row: DatasetRow | undefined;
  onClose: () => void;
}

export function FeaturePanel({ id, feature, row, onClose }: FeaturePanelProps) {
  const { t } = useWords();
  const type = row?.type_en ?? typeOfFeature(feature.properties.feature_type, 'bldg');
  const found = useLoaded(
    id && `${id} ${type}`,
    (signal) =>
      findAttributes({ id: id!, lng: feature.lng, lat: feature.lat, type, year: row?.year ?? null }, signal),
    { keep: false },
  );
  const name = feature.properties['gml:name'];
  return (
    <section class="feature" aria-live="polite">
      <div class="heading">
        <h2>{typeof name === 'string' && name !== '' ? name : t('attributes')}</h2>
        <button type="button" class="button small" onClick={onClose}>
          {t('close')}
        </button>
      </div>
      {id !== null && <Address url={id} label="gml:id" />}
      {found.value !== null && <Address url={found.value.url} label={t('file')} />}
      {found.loading && id !== null && <Loading text={t('attributesLooking')} />}
      {found.error !== null && <Failure error={found.error} retry={found.retry} />}
      {found.value !== null && <AttributeList attributes={found.value.attributes} />}
      {!found.loading && found.value === null && found.error === null && (
        <p class="notice">{t('attributesNoFile')}</p>
      )}
      <details open={!found.loading && found.value === null}>
        <summary>{t('tileSays')}</summary>
        <Tile properties={feature.properties} />
      </details>
    </section>
  );
}

function Tile({ properties }: { properties: Properties }) {
  const { t } = useWords();
  const rows = Object.entries(properties).filter(
    ([, value]) => value !== null && value !== undefined && value !== '' && typeof value !== 'object',
  );
  return (
    <table class="fields">
      <caption class="visually-hidden">{t('tileSays')}</caption>
      <tbody>
        {rows.map(([name, value]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{String(value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

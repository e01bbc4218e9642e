/** What was picked: its files by municipality, year and type, and what can be done with them. */
import { useEffect } from 'preact/hooks';
import type { Bounds } from '../../../src/geo/bounds.ts';
import { isMeshCode, meshBounds } from '../../../src/geo/mesh.ts';
import { parseSpatialId, spatialIdBounds } from '../../../src/geo/spatial-id.ts';
import { ApiFailure, api, filesPath } from '../core/api.ts';
import { formatArea, unite } from '../core/area.ts';
import { type City, isSpecialWard } from '../core/catalogue.ts';
import { config } from '../core/config.ts';
import type { Catalogue } from '../core/data.ts';
import { type CityFiles, type FileList, fileBounds, filesOf, sumOf } from '../core/files.ts';
import type { State } from '../core/state.ts';
import { current, useWords } from '../core/store.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { StateLink } from '../ui/link.tsx';
import { Address, Copy, Failure, Loading } from '../ui/parts.tsx';
import { mapView, outlined, pickedOnMap, wanted } from './map-link.ts';

/** What there is of a municipality that has tiles only. */
const NO_FILES: FileList = { cities: [] };

interface PickedProps {
  condition: string;
  catalogue: Catalogue;
  onClose: () => void;
}

export function Picked({ condition, catalogue, onClose }: PickedProps) {
  const words = useWords();
  const { t } = words;
  const city = catalogue.cities.find(({ code }) => code === condition);
  // The catalogue tells already that there are no files; of a special ward the package of all of them may have some.
  const tilesOnly = city !== undefined && city.citygml.length === 0 && !isSpecialWard(city.code);
  const found = useLoaded(
    tilesOnly ? null : condition,
    (signal) => api<FileList>(filesPath(condition), { signal }),
    { keep: false },
  );
  const missing = found.error instanceof ApiFailure && found.error.kind === 'missing';
  const absent = tilesOnly || missing;
  const list = absent && city !== undefined ? NO_FILES : found.value;
  const extent = list === null ? null : extentOf(condition, list, city);

  // The extent follows from what was found
  useEffect(() => {
    outlined.set(extent === null ? [] : [extent]);
    // What was clicked is in view already: nothing moves. Coming by a link, the address has said where to look.
    if (extent !== null && pickedOnMap.get() !== condition && !atGivenPlace()) wanted.set(extent);
    return () => outlined.set([]);
  }, [condition, list]);

  return (
    <section class="picked">
      <div class="heading">
        <h2>{city?.name ?? condition.replace(/^\w+:/, '')}</h2>
        <button type="button" class="button small" onClick={onClose}>
          {t('close')}
        </button>
      </div>
      <p class="quiet">
        {t(kindOf(condition))}
        {city !== undefined && ` · ${city.pref} · ${city.code}`}
      </p>
      {found.loading && <Loading />}
      {absent && city === undefined && (
        <p class="notice">{condition.startsWith('g:') ? t('searchNothing') : t('failMissing')}</p>
      )}
      {found.error !== null && !absent && <Failure error={found.error} retry={found.retry} />}
      {list !== null && (
        <>
          <Actions condition={condition} list={list} city={city} extent={extent} />
          {list.cities.map((one) => (
            <CityFilesTable key={one.url} files={one} titled={city === undefined || list.cities.length > 1} />
          ))}
          {absent ? (
            <p class="notice">{t('noCityGml')}</p>
          ) : (
            <Address url={config.publicUrl + filesPath(condition)} label={t('request')} />
          )}
        </>
      )}
    </section>
  );
}

function Actions({
  condition,
  list,
  city,
  extent,
}: {
  condition: string;
  list: FileList;
  city: City | undefined;
  extent: Bounds | null;
}) {
  const { t } = useWords();
  const code = city?.code ?? list.cities[0]?.cityCode;
  const model = catalogueModel(city);
  const area = condition.startsWith('m:')
    ? condition
    : city !== undefined
      ? city.code
      : extent === null
        ? null
        : formatArea({ kind: 'box', bounds: extent });
  return (
    <nav class="actions" aria-label={t('actions')}>
      {area !== null && list.cities.length > 0 && (
        <StateLink class="button primary" to={{ view: 'basket', area, types: null, pack: null }}>
          {t('inBasket')}
        </StateLink>
      )}
      {model !== null && (
        <StateLink class="button" to={model}>
          {t('see3d')}
        </StateLink>
      )}
      {code !== undefined && (
        <StateLink class="button" to={{ view: 'datasets', filters: { city_code: code }, row: null }}>
          {t('seeDatasets')}
        </StateLink>
      )}
      {city?.citygml.some((row) => row.ward_code == null) && (
        <a class="button" href={`${config.base}/datacatalog/citygml/${city.code}-latest/citygml.zip`}>
          {t('wholeZip')}
        </a>
      )}
    </nav>
  );
}

/** The buildings of a municipality, newest year and best LOD, else any 3D Tiles that it has. */
function catalogueModel(city: City | undefined): Partial<State> | null {
  const tiles = city?.datasets.filter((row) => row.format === '3D Tiles') ?? [];
  if (city === undefined || tiles.length === 0) return null;
  const model = tiles.some((row) => row.type_en === 'bldg')
    ? `${city.code}-bldg-maxlod4-latest`
    : tiles[0]!.id;
  return { view: '3d', model, camera: null, feature: null };
}

function CityFilesTable({ files, titled }: { files: CityFiles; titled: boolean }) {
  const { t, type, number, bytes } = useWords();
  const all = filesOf({ cities: [files] });
  return (
    <article>
      <h3>
        {titled && `${files.cityName} `}
        {files.year}
        <span class="quiet">
          {' '}
          {t('specification')} {files.spec}
        </span>
      </h3>
      <table class="numbers">
        <thead>
          <tr>
            <th scope="col">{t('type')}</th>
            <th scope="col">{t('lod')}</th>
            <th scope="col">{t('features')}</th>
            <th scope="col">{t('files')}</th>
            <th scope="col">{t('size')}</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(files.files).map(([code, ofType]) => {
            const sum = sumOf(ofType);
            return (
              <tr key={code}>
                <th scope="row">{type(code)}</th>
                <td>{sum.maxLod}</td>
                <td>{number(sum.features)}</td>
                <td>{number(sum.files)}</td>
                <td>{bytes(sum.bytes)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <details>
        <summary>{t('fileList')}</summary>
        <ul class="files">
          {all.map((file) => (
            <li key={file.url}>
              <a href={file.url}>{file.url.slice(file.url.indexOf('/udx/') + 5)}</a>
              <span class="quiet">{bytes(file.fileSize)}</span>
              <Copy text={file.url} label={file.url.slice(file.url.lastIndexOf('/') + 1)} />
            </li>
          ))}
        </ul>
      </details>
    </article>
  );
}

function kindOf(condition: string) {
  if (condition.startsWith('m')) return 'kind_mesh';
  if (condition.startsWith('s:')) return 'kind_spatial-id';
  if (condition.startsWith('r:')) return 'kind_point';
  return condition.startsWith('g:') ? 'kind_name' : 'kind_city';
}

function extentOf(condition: string, list: FileList, city: City | undefined): Bounds | null {
  if (city?.bounds) return city.bounds;
  const text = condition.slice(2);
  if (condition.startsWith('m:') && isMeshCode(text)) return meshBounds(text);
  if (condition.startsWith('s:')) return spatialIdBounds(parseSpatialId(text));
  const boxes = filesOf(list)
    .map(fileBounds)
    .filter((box) => box !== null);
  return boxes.length === 0 ? null : boxes.reduce(unite);
}

let followed = false;

/** True once, for a page that was opened by a link which says where the map looks. */
function atGivenPlace(): boolean {
  const first = !followed;
  followed = true;
  return first && current().at !== null && mapView.get() === null;
}

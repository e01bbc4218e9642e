/** Where a package would be, with the places of findings, before it is published. */
import type { IngestQuality } from 'citymodel-server/shared';
import { previewOf } from './preview.ts';
import { useAdminWords } from './words.ts';

interface PreviewMapProps {
  meshes: readonly string[];
  quality: IngestQuality | null;
}

export function PreviewMap({ meshes, quality }: PreviewMapProps) {
  const { t, number, language } = useAdminWords();
  const found = (quality?.checks ?? []).flatMap(({ code, title, places }) =>
    places.flatMap(({ place, file, line }) =>
      place === null
        ? []
        : [{ place, title: `${code} ${title[language]}: ${file?.split('/').at(-1)}:${line}` }],
    ),
  );
  const preview = previewOf(meshes, found);
  if (preview === null) return null;
  const { width, height } = preview;
  return (
    <figure class="preview">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={t('previewMap')}>
        {preview.meshes.map(({ code, ...box }) => (
          <rect key={code} class="mesh" {...box}>
            <title>{code}</title>
          </rect>
        ))}
        {preview.dots.map(({ x, y, title }, i) => (
          <circle key={i} class="found" cx={x} cy={y} r="4">
            <title>{title}</title>
          </circle>
        ))}
      </svg>
      <figcaption class="quiet">
        {t('previewMeshes')} {number(meshes.length)} · {t('previewPlaces')} {number(found.length)}
      </figcaption>
    </figure>
  );
}

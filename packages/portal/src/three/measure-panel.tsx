/** What the ruler says of two points, with a section along the line between them. */
import { useEffect, useState } from 'preact/hooks';
import { useWords } from '../core/store.ts';
import { Loading } from '../ui/parts.tsx';
import { drawProfile, type ProfilePoint } from './profile.ts';
import type { Measure, TileScene } from './tile-scene.ts';
import { useThree } from './words.ts';
import '../styles/measure.css';

const SIZE = { width: 360, height: 110 };

export function MeasurePanel({ scene, measure }: { scene: TileScene; measure: Measure | null }) {
  const { number } = useWords();
  const three = useThree();
  const [points, setPoints] = useState<ProfilePoint[] | null>(null);
  const [isComing, setComing] = useState(false);
  useEffect(() => {
    setPoints(null);
    if (measure === null) return;
    let live = true;
    setComing(true);
    scene
      .profile(() => live)
      .then((found) => {
        if (!live) return;
        setPoints(found);
        setComing(false);
      });
    return () => {
      live = false;
      setComing(false);
    };
  }, [scene, measure]);
  const metres = (value: number) => `${number(Math.round(value * 10) / 10)} m`;
  return (
    <div class="measure">
      <p role="status">
        {measure === null
          ? three('measureHelp')
          : three('measureResult', {
              straight: metres(measure.straight),
              level: metres(measure.level),
              height: metres(measure.height),
            })}
      </p>
      {isComing && <Loading text={three('profileComing')} />}
      {points !== null && <Profile points={points} metres={metres} />}
    </div>
  );
}

function Profile({ points, metres }: { points: readonly ProfilePoint[]; metres: (value: number) => string }) {
  const three = useThree();
  const { tops, ground, lines, highest } = drawProfile(points, SIZE.width, SIZE.height);
  const length = metres(points.at(-1)!.along);
  const height = metres(highest.height);
  const isRight = highest.x > SIZE.width / 2;
  return (
    <figure class="profile">
      <figcaption class="quiet small-text">{three('profile')}</figcaption>
      <svg
        viewBox={`0 -8 ${SIZE.width + 44} ${SIZE.height + 26}`}
        role="img"
        aria-label={three('profileSaid', { length, height })}
      >
        {lines.map(({ height, y }) => (
          <g key={height}>
            <path class="profile-line" d={`M0 ${y}H${SIZE.width}`} />
            <text x={SIZE.width + 4} y={y + 4}>
              {metres(height)}
            </text>
          </g>
        ))}
        <path class="profile-tops" d={tops} />
        <path class="profile-ground" d={ground} />
        <text
          x={isRight ? highest.x - 4 : highest.x + 4}
          y={highest.y + 4}
          text-anchor={isRight ? 'end' : 'start'}
        >
          ↕ {height}
        </text>
        <text x="0" y={SIZE.height + 14}>
          0 m
        </text>
        <text x={SIZE.width} y={SIZE.height + 14} text-anchor="end">
          {length}
        </text>
      </svg>
    </figure>
  );
}

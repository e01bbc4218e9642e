/** The building that was clicked, drawn to scale beside the water that floods bring. */
import { useWords } from '../core/store.ts';
import { DRAWING, drawHouse, type House, storeyReached } from './house-drawing.ts';
import { useThree } from './words.ts';

/** Lines of water that are drawn; more would hide the house. */
const MOST_LEVELS = 4;

export function HouseDrawing({ house }: { house: House }) {
  const { number } = useWords();
  const three = useThree();
  const { height, depths } = house;
  const { ground, left, right, top, eaves, windows, windowSize, levels, person } = drawHouse(house);
  const shown = levels.slice(0, MOST_LEVELS);
  const metres = (value: number) => `${number(Math.round(value * 100) / 100)} m`;
  const deepest = Math.max(0, ...depths);
  const storey = storeyReached(house, deepest);
  const label = [
    three('houseHeight', { height: metres(height) }),
    ...shown.map(({ depth }) => three('houseWater', { depth: metres(depth) })),
  ].join(' ');
  const isPitched = eaves > top;
  const middle = (left + right) / 2;
  return (
    <figure class="house">
      <svg viewBox={`0 0 ${DRAWING.width} ${DRAWING.height}`} role="img" aria-label={label}>
        <rect class="house-ground" x="0" y={ground} width={DRAWING.width} height={DRAWING.height - ground} />
        <path
          class="house-wall"
          d={`M${left} ${ground}V${eaves}${isPitched ? `L${middle} ${top}L${right} ${eaves}` : `H${right}`}V${ground}z`}
        />
        <path
          class="house-roof"
          d={
            isPitched
              ? `M${left - 5} ${eaves + 3}L${middle} ${top}L${right + 5} ${eaves + 3}`
              : `M${left - 2} ${top}H${right + 2}`
          }
        />
        {windows.map(([x, y]) => (
          <rect
            key={`${x} ${y}`}
            class="house-window"
            x={x}
            y={y}
            width={windowSize[0]}
            height={windowSize[1]}
          />
        ))}
        <g class="house-person">
          <circle
            cx={person.x}
            cy={person.top + (ground - person.top) * 0.14}
            r={(ground - person.top) * 0.14}
          />
          <path
            d={`M${person.x} ${person.top + (ground - person.top) * 0.3}V${ground}`}
            stroke-width={(ground - person.top) * 0.26}
          />
        </g>
        {shown[0] !== undefined && (
          <rect class="house-water" x="0" y={shown[0].y} width={DRAWING.width} height={ground - shown[0].y} />
        )}
        {shown.map(({ depth, y, label }, i) => (
          <g key={depth}>
            <path class={i === 0 ? 'house-level' : 'house-level lower'} d={`M0 ${y}H${DRAWING.width}`} />
            <text class="house-depth" x={DRAWING.width - 6} y={label} text-anchor="end">
              {metres(depth)}
            </text>
          </g>
        ))}
        <path
          class="house-measure"
          d={`M${left - 18} ${top}V${ground}M${left - 23} ${top}h10M${left - 23} ${ground}h10`}
        />
        <text
          class="house-height"
          x={left - 26}
          y={Math.min((top + ground) / 2 + 4, ground - 4)}
          text-anchor="end"
        >
          {metres(height)}
        </text>
      </svg>
      {deepest > 0 && (deepest >= height || storey !== null) && (
        <figcaption class="house-reach">
          {storey === null ? three('houseRoof') : three('houseStorey', { n: storey, all: house.storeys! })}
        </figcaption>
      )}
    </figure>
  );
}

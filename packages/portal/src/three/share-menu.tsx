/** What of the view goes to others: its link, the code of a frame, a picture. */
import type { DatasetRow } from '../core/catalogue.ts';
import { addressOf } from '../core/store.ts';
import { Copy } from '../ui/parts.tsx';
import { BenchMenu } from './bench-menu.tsx';
import { creditLine } from './credit.ts';
import { embedCode } from './embed-code.ts';
import type { TileScene } from './tile-scene.ts';
import { useThree } from './words.ts';

interface ShareMenuProps {
  scene: TileScene;
  model: string;
  /** What the model is called. */
  name: string;
  datasets: readonly DatasetRow[];
}

export function ShareMenu({ scene, model, name, datasets }: ShareMenuProps) {
  const three = useThree();
  const copies: Array<[label: string, text: () => string]> = [
    [three('shareLink'), () => new URL(addressOf({}), location.href).href],
    [three('embedCode'), () => embedCode(`${name}, 3D`)],
  ];
  return (
    <BenchMenu label={three('share')}>
      {copies.map(([label, text]) => (
        <p key={label} class="share-row">
          <span>{label}</span>
          <Copy text={text} label={label} />
        </p>
      ))}
      <p class="share-row">
        <span>{three('pictureOf')}</span>
        <button
          type="button"
          class="button small"
          onClick={() => savePicture(scene, model, [name, creditLine(model, datasets)])}
        >
          {three('picture')}
        </button>
      </p>
    </BenchMenu>
  );
}

/** @param lines name and credit, which stand below the picture */
async function savePicture(scene: TileScene, model: string, lines: string[]): Promise<void> {
  const blob = await scene.picture(lines);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = `${model}.png`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

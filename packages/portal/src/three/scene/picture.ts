/** A picture of the view to keep, with who it is from below it. */

import type { Scene } from 'cesium';

/** Pixels of the text at a ratio of 1. */
const TEXT = 13;

/** A PNG of a scene, with lines of credit in a bar below. */
export function pictureOf(scene: Scene, credit: readonly string[]): Promise<Blob> {
  const { canvas } = scene;
  // A canvas keeps what was drawn until the end of the task.
  scene.requestRender();
  scene.render();
  const ratio = canvas.width / canvas.clientWidth;
  const line = TEXT * 1.6 * ratio;
  const bar = Math.ceil(line * credit.length + TEXT * ratio);
  const picture = document.createElement('canvas');
  picture.width = canvas.width;
  picture.height = canvas.height + bar;
  const context = picture.getContext('2d')!;
  context.drawImage(canvas, 0, 0);
  context.fillStyle = '#ffffff';
  context.fillRect(0, canvas.height, canvas.width, bar);
  context.fillStyle = '#16242b';
  context.textBaseline = 'middle';
  const most = canvas.width - TEXT * 2 * ratio;
  credit.forEach((text, i) => {
    context.font = `${i === 0 ? 600 : 400} ${TEXT * ratio}px "Noto Sans JP", "Hiragino Sans", system-ui, sans-serif`;
    context.fillText(text, TEXT * ratio, canvas.height + (TEXT / 2) * ratio + line * (i + 0.5), most);
  });
  return new Promise((resolve, reject) => {
    picture.toBlob((blob) => (blob === null ? reject(new Error('no picture')) : resolve(blob)), 'image/png');
  });
}

/** Images that a file refers to and the package lacks. */
import { posix } from 'node:path';
import { defineCheck } from '../../check.ts';
import { OWN } from './facts.ts';

const [OPEN, CLOSE] = ['imageURI>', '<'];

export const TEXTURE = defineCheck({
  ...OWN,
  code: 'own.texture',
  name: 'テクスチャ画像の欠落',
  title: { ja: 'テクスチャ画像の欠落', en: 'Textures that are missing' },
  rule: {
    ja: 'app:imageURI が参照する画像がパッケージに存在すること。同じ画像はファイルごとに一件と数える。',
    en: 'The image that an app:imageURI refers to is in the package. The same image is one finding in each file.',
  },
  open(file) {
    const seen = new Set<string>();
    const look = (uri: string, line: number | null) => {
      if (uri === '' || seen.has(uri) || /^[a-z][a-z0-9+.-]+:/i.test(uri)) return;
      seen.add(uri);
      const path = posix.normalize(posix.join(posix.dirname(file.path), uri.replaceAll('\\', '/')));
      if (file.package.hasMember(path)) return;
      file.report({ id: null, ref: uri, line, message: `The image ${uri} is not in the package.` });
    };
    return {
      looksAt: (name) => name === 'app:imageURI',
      element: (element, _, { line }) => look(element.text.trim(), line),
      appearance(text) {
        if (text === null) {
          file.skipped('own.texture: an appearance is too large to be looked at');
          return;
        }
        for (let at = text.indexOf(OPEN); at >= 0; at = text.indexOf(OPEN, at + 1)) {
          if (text[at - 1] === SLASH) continue;
          const end = text.indexOf(CLOSE, at);
          const uri = text.toString('utf8', at + OPEN.length, end < 0 ? text.length : end);
          if (text[text.lastIndexOf(CLOSE, at) + 1] !== SLASH)
            look(uri.replaceAll('&amp;', '&').trim(), null);
        }
      },
    };
  },
});

const SLASH = 0x2f;

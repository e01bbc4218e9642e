import { render } from 'preact';
import { App } from './app.tsx';
import './core/after-frame.ts';
import { preferredLanguage, prepareOther } from './core/i18n.ts';
import { current } from './core/store.ts';
import './styles/shared.css';
import './styles/base.css';
import './styles/frame.css';
import './styles/parts.css';
import './styles/map-view.css';
import './styles/fields.css';
import './styles/datasets.css';
import './styles/basket.css';
import './styles/status.css';
import './styles/doors.css';

const root = document.getElementById('app')!;
// What stood in for the header.
root.replaceChildren();
render(<App />, root);
// Where a browser cannot tell when it is idle, the first click on the language takes some milliseconds more.
globalThis.requestIdleCallback?.(() => prepareOther(current().lang ?? preferredLanguage()));

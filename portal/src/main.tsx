import { render } from 'preact';
import { App } from './app.tsx';
import './core/after-frame.ts';
import './styles/base.css';
import './styles/frame.css';
import './styles/parts.css';
import './styles/views.css';

const root = document.getElementById('app')!;
// What stood in for the header.
root.replaceChildren();
render(<App />, root);

import { render } from 'preact';
import { AdminPage } from './admin-page.tsx';
import '../core/after-frame.ts';
import '../styles/shared.css';
import '../styles/base.css';
import '../styles/frame.css';
import '../styles/parts.css';
import './admin.css';

render(<AdminPage />, document.getElementById('app')!);

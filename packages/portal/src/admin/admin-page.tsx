/** The operator's page: anybody who has the token uploads, publishes, looks at jobs and removes packages. */
import { useCallback, useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { config } from '../core/config.ts';
import { Brand } from '../ui/brand.tsx';
import { Segments } from '../ui/parts.tsx';
import { AdminFailure, admin, keepToken, tokenNow } from './admin-api.ts';
import { JobsPanel } from './jobs-panel.tsx';
import { PackagesPanel } from './packages-panel.tsx';
import { showTheme, type Theme, themeChosen } from './theme.ts';
import { UploadPanel } from './upload-panel.tsx';
import { keepLanguage, type Language, LanguageContext, languageNow, useAdminWords } from './words.ts';

export function AdminPage() {
  const [language, setLanguage] = useState(languageNow);
  const [isIn, setIn] = useState(tokenNow() !== null);
  const signOut = useCallback(() => {
    keepToken(null);
    setIn(false);
  }, []);
  useEffect(() => {
    document.documentElement.lang = language;
    keepLanguage(language);
  }, [language]);
  return (
    <LanguageContext.Provider value={language}>
      <Head onLanguage={setLanguage} {...(isIn ? { onSignOut: signOut } : {})} />
      <main class="admin">
        <AdminTitle />
        {isIn ? <Panels onRefused={signOut} /> : <SignIn onDone={() => setIn(true)} />}
      </main>
    </LanguageContext.Provider>
  );
}

/** The header of the portal, with its views as links, and the way out for the operator. */
function Head({
  onLanguage,
  onSignOut,
}: {
  onLanguage: (language: Language) => void;
  onSignOut?: () => void;
}) {
  const { t, language } = useAdminWords();
  const [theme, setTheme] = useState(themeChosen);
  // Before it is painted: in another theme it would flash.
  useLayoutEffect(() => showTheme(theme), [theme]);
  const chosen = `lang=${language}${theme === null ? '' : `&theme=${theme}`}`;
  const to = (path: string) => `${config.base}${path}${path.includes('?') ? '&' : '?'}${chosen}`;
  return (
    <header>
      <a class="brand" href={to('/')}>
        <Brand name={t('portal')} />
      </a>
      <nav class="tabs" aria-label={t('views')}>
        <a href={to('/')}>{t('map')}</a>
        <a href={to('/?view=3d')}>3D</a>
        <a href={to('/?view=datasets')}>{t('datasets')}</a>
        <a href={to('/?view=basket')}>{t('basket')}</a>
      </nav>
      <div class="header-end">
        <a class="plain" href={to('/status')}>
          {t('status')}
        </a>
        <a class="plain" href={to('/docs')}>
          API
        </a>
        <Segments<Language>
          label={t('language')}
          value={language}
          options={[
            ['ja', '日本語'],
            ['en', 'English'],
          ]}
          onChoose={onLanguage}
        />
        <label class="theme">
          <span class="visually-hidden">{t('theme')}</span>
          <select
            value={theme ?? ''}
            onChange={({ currentTarget }) => setTheme((currentTarget.value || null) as Theme)}
          >
            <option value="">{t('themeSystem')}</option>
            <option value="light">{t('themeLight')}</option>
            <option value="dark">{t('themeDark')}</option>
          </select>
        </label>
        {onSignOut !== undefined && (
          <button type="button" class="button small" onClick={onSignOut}>
            {t('signOut')}
          </button>
        )}
      </div>
    </header>
  );
}

/** The title of the page, for the window as well. */
function AdminTitle() {
  const { t } = useAdminWords();
  useEffect(() => {
    document.title = `${t('title')} – City Model Data`;
  }, [t]);
  return <h1>{t('title')}</h1>;
}

function SignIn({ onDone }: { onDone: () => void }) {
  const { t } = useAdminWords();
  const [token, setToken] = useState('');
  const [failure, setFailure] = useState<string | null>(null);
  const signIn = async (event: Event) => {
    event.preventDefault();
    keepToken(token.trim());
    try {
      await admin('/admin/jobs?limit=1');
      onDone();
    } catch (error) {
      keepToken(null);
      const status = error instanceof AdminFailure ? error.status : 0;
      setFailure(t(status === 401 ? 'tokenWrong' : status === 429 ? 'tokenLater' : 'offline'));
    }
  };
  return (
    <form class="sign-in" onSubmit={signIn}>
      <label for="token">{t('token')}</label>
      <input
        id="token"
        type="password"
        autocomplete="current-password"
        required
        value={token}
        aria-describedby="sign-in-failure"
        onInput={(event) => setToken(event.currentTarget.value)}
      />
      <button type="submit" class="button primary">
        {t('signIn')}
      </button>
      <p id="sign-in-failure" class="bad-text" role="alert">
        {failure}
      </p>
    </form>
  );
}

function Panels({ onRefused }: { onRefused: () => void }) {
  /** Grows when something was asked for that the list of jobs should show at once. */
  const [asked, setAsked] = useState(0);
  const onAsked = useCallback(() => setAsked((n) => n + 1), []);
  return (
    <>
      <UploadPanel onAsked={onAsked} onRefused={onRefused} />
      <JobsPanel asked={asked} onRefused={onRefused} />
      <PackagesPanel onAsked={onAsked} onRefused={onRefused} />
    </>
  );
}

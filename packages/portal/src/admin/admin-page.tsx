/** The operator's page: anybody who has the token uploads, publishes, looks at jobs and removes packages. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import { config } from '../core/config.ts';
import { AdminFailure, admin, keepToken, tokenNow } from './admin-api.ts';
import { JobsPanel } from './jobs-panel.tsx';
import { PackagesPanel } from './packages-panel.tsx';
import { UploadPanel } from './upload-panel.tsx';
import { keepLanguage, LanguageContext, languageNow, useAdminWords } from './words.ts';

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
      <Head
        onLanguage={() => setLanguage(language === 'ja' ? 'en' : 'ja')}
        {...(isIn ? { onSignOut: signOut } : {})}
      />
      <main class="admin">
        {isIn ? <Panels onRefused={signOut} /> : <SignIn onDone={() => setIn(true)} />}
      </main>
    </LanguageContext.Provider>
  );
}

function Head({ onLanguage, onSignOut }: { onLanguage: () => void; onSignOut?: () => void }) {
  const { t, language } = useAdminWords();
  useEffect(() => {
    document.title = `${t('title')} – City Model Data`;
  }, [t]);
  return (
    <header class="admin-head">
      <h1>{t('title')}</h1>
      <a href={`${config.base}/?lang=${language}`}>{t('toPortal')}</a>
      <span class="room" />
      <button type="button" class="button small" lang={language === 'ja' ? 'en' : 'ja'} onClick={onLanguage}>
        {t('language')}
      </button>
      {onSignOut !== undefined && (
        <button type="button" class="button small" onClick={onSignOut}>
          {t('signOut')}
        </button>
      )}
    </header>
  );
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

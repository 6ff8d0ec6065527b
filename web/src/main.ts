import { mount } from 'svelte'
import App from './App.svelte'
import { endFirstView } from './kit/state/first-view.ts'
import { placeOf } from './kit/state/route.svelte.ts'
import { Language } from './kit/words/language.svelte.ts'
import { fetchPage } from './pages.ts'
import './kit/look/look.css'

// At once, not one after the other: the words, and the page that is asked for.
fetchPage(placeOf(location.pathname).page)
const target = document.getElementById('app')!
Language.open(navigator.languages).then(
  language => mount(App, { target, props: { language } }),
  // There are no words to say it with.
  () => {
    endFirstView()
    const again = Object.assign(document.createElement('a'), { href: '', textContent: 'Reload · Laai weer' })
    target.append(again)
  },
)

if (import.meta.env.PROD && 'serviceWorker' in navigator) {
  // Without it everything works as well, only not without a network. It fetches every file of the page: those
  // that are needed now come first.
  const register = () => void navigator.serviceWorker.register('/sw.js').catch(() => {})
  if (document.readyState === 'complete') register()
  else window.addEventListener('load', register, { once: true })
}

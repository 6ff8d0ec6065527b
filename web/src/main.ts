import { mount } from 'svelte'
import App from './App.svelte'
import './shared/look/look.css'

mount(App, { target: document.getElementById('app')! })

if (import.meta.env.PROD && 'serviceWorker' in navigator) {
  // Without it everything works as well, only not without a network.
  void navigator.serviceWorker.register('/sw.js').catch(() => {})
}

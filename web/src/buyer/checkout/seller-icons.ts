/**
 * The console has these icons as well. In the list of all buyers' pages they would come with the first view of
 * an event, which does not show them.
 */
export { default as scrollText } from 'lucide-static/icons/scroll-text.svg?raw'
export { default as store } from 'lucide-static/icons/store.svg?raw'
export { default as undo } from 'lucide-static/icons/undo-2.svg?raw'

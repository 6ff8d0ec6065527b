/** Apart from the icons of all pages, which would load them too. */
export { default as logOut } from 'lucide-static/icons/log-out.svg?raw'
export { default as trash } from 'lucide-static/icons/trash-2.svg?raw'

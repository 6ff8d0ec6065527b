/** Apart from the icons of all pages: it comes with the field that has it. */
export { default as eyeOff } from 'lucide-static/icons/eye-off.svg?raw'

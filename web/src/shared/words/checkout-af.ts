import type { checkoutEn, orderEn, payEn } from './checkout-en.ts'

// U+2060 keeps the word for an email on one line: our typeface has no hyphen that does so by itself.
export const checkoutAf: typeof checkoutEn = {
  go: 'Gaan betaal',
  title: 'Afreken',
  back: 'Terug na die sitplekke',
  yours: 'Jou bestelling',
  ticketType: what => `Soort kaartjie: ${what}`,
  ticketTypeOf: (what, place) => `Soort kaartjie: ${what}, plek ${place}`,
  details: 'Kontak',
  name: 'Volle naam',
  email: 'E-\u2060posadres',
  emailHint: 'Ons stuur jou kaartjies hierheen. Hierdie toestel onthou die adres.',
  alternatives: 'As my sitplekke weg is, gee my ander teen dieselfde prys',
  alternativesHint:
    'Dit geld net as jou betaling deurkom nadat jou tyd verby is. As jy dit nie kies nie, of sulke sitplekke is nie vry nie, kry jy al jou geld terug.',
  seatsKept: 'Sitplekke word vir jou gehou',
  fromTo: (first, last) => `${first}–${last}`,
  next: total => `Gaan voort na betaling · ${total}`,
  secure: 'Veilige betaling',
  nextFree: 'Kry die kaartjies',
  opening: 'Net ’n oomblik …',
  nothingHeld: 'Geen sitplekke van hierdie geleentheid word nou vir jou gehou nie. Kies eers.',
  timeOver: 'Jou tyd is verby',
  timeOverExplain:
    'Die sitplekke is weer te koop. Geen geld is van jou geneem nie. Kies weer as hulle nog vry is.',
  chooseAgain: 'Kies sitplekke',
}

export const payAf: typeof payEn = {
  title: 'Betaling',
  order: number => `Bestelling ${number}`,
  changeDetails: 'Verander jou besonderhede',
  testMode: 'Toetsmodus. Geen regte geld word geneem nie.',
  testExplain: 'Betaal met een van hierdie kaarte, enige toekomstige datum en enige drie syfers.',
  testCards: {
    pays: 'betaal',
    declined: 'word afgekeur',
    noMoney: 'het nie genoeg geld nie',
    step: 'vra dat jy bevestig',
    late: 'betaal 16 minute later, te laat vir die sitplekke',
  },
  card: 'Kaart',
  number: 'Kaartnommer',
  expiry: 'Vervaldatum',
  expiryHint: 'Maand / jaar',
  cvc: 'Sekuriteitskode',
  faults: {
    number: 'Kyk weer na die kaartnommer. In toetsmodus kan net toetskaarte betaal.',
    expiry: 'Gee ’n vervaldatum wat nog nie verby is nie, soos 04/29.',
    cvc: 'Gee die drie of vier syfers van die agterkant van die kaart.',
  },
  pay: total => `Betaal ${total}`,
  payFree: 'Kry die kaartjies',
  toForm: 'Gaan voort na die kaartvorm',
  formFailed:
    'Die kaartvorm van ons betaalmaatskappy het nie gelaai nie. Kyk na jou verbinding en probeer weer.',
  loadFormAgain: 'Laai die vorm weer',
  paying: 'Besig om te betaal … Hou asseblief hierdie bladsy oop.',
  unknown:
    'Ons weet nog nie of jou bank die geld geneem het nie. Jy sal nie twee keer betaal nie. Ons vra tans.',
  waiting: 'Jou bank het nog nie besluit nie. Jy sal nie twee keer betaal nie. Ons vra tans.',
  stopped:
    'Jou bank het ons nog niks laat weet nie. Jy sal nie twee keer betaal nie. Jy kan hierdie bladsy toemaak en later terugkom: dit sal wys of jou betaling deurgegaan het.',
  askAgain: 'Vra weer',
  step: 'Jou bank vra dat jy die betaling bevestig.',
  toStep: 'Gaan voort na jou bank',
  leaving: 'Op pad na jou bank …',
  notPaid: 'Nog nie betaal nie',
  stillHeld: 'Jou sitplekke word nog vir jou gehou. Geen geld is van jou geneem nie.',
  declines: {
    card_declined: 'Die bank het die kaart afgekeur. Gebruik ’n ander kaart, of vra die bank.',
    insufficient_funds: 'Daar is nie genoeg geld op die kaart nie. Gebruik ’n ander kaart.',
    expired_card: 'Die kaart het verval. Gebruik ’n ander kaart.',
    incorrect_details:
      'Die nommer, die datum of die sekuriteitskode van die kaart is verkeerd. Kyk weer daarna en probeer weer.',
    confirmation_failed:
      'Die bank het nie bevestig dat dit jy is nie. Probeer weer, of gebruik ’n ander kaart.',
    confirmation_expired: 'Die betaling is nie betyds bevestig nie. Probeer weer.',
    not_supported: 'Hierdie kaart kan nie vir hierdie aankoop gebruik word nie. Gebruik ’n ander kaart.',
    try_again: 'Ons kon nie die bank bereik nie. Probeer weer.',
    cancelled: 'Die betaling is gekanselleer.',
  },
  cancel: 'Kanselleer en stel die sitplekke vry',
  cancelUnknown:
    'Die bediener het nie geantwoord nie: ons weet nie of die bestelling gekanselleer is nie. Kyk na jou verbinding en probeer weer.',
  cancelled: 'Hierdie bestelling is gekanselleer',
  cancelledExplain: 'As ’n betaling tog nog deurkom, word dit aan jou terugbetaal.',
  lateTitle: 'Jou betaling het gekom nadat jou tyd verby was',
  late: {
    same_places: 'Dieselfde plekke was nog vry, en hulle is joune.',
    other_places: 'Jou plekke was weg. Jy het ander teen dieselfde prys, soos jy gevra het.',
    refund: total =>
      `Die plekke was weg. Al jou geld (${total}) gaan terug na die kaart waarmee jy betaal het. Dit kan ’n paar dae duur.`,
  },
  refunded: 'Hierdie bestelling is terugbetaal',
  seeTickets: 'Sien jou kaartjies',
}

export const orderAf: typeof orderEn = {
  title: 'Jou kaartjies',
  thanks: 'Jy het betaal. Sien jou daar!',
  seeYou: 'Sien jou daar!',
  paidNumber: number => `Reeds betaal · bestelling ${number}`,
  goodToKnow: 'Goed om te weet',
  worksOffline: 'Werk sonder internet',
  ticketOf: (at, many) => `Kaartjie ${at} van ${many}`,
  number: 'Bestelnommer',
  paid: 'Bedrag betaal',
  refunded: 'Hierdie bestelling is ten volle terugbetaal. Die kaartjies is nie meer geldig nie.',
  void: 'Nie meer geldig nie',
  noTickets: 'Hierdie bestelling het geen kaartjies nie.',
  lastKnown: 'Van jou vorige besoek. Die kaartjies werk ook sonder verbinding.',
  checking: 'Van jou vorige besoek. Word nagegaan …',
  mayNotAsk:
    'Van jou vorige besoek. Maak die bestelling oop met die skakel in jou e-\u2060pos om te sien of iets verander het.',
  code: place => `QR-kode van die kaartjie: ${place}`,
  pdf: 'Stoor as PDF',
  calendar: 'Voeg by kalender',
  toEvent: 'Na die geleentheid',
  notFoundTitle: 'Ons kan nie hierdie bestelling vind nie',
  notFound:
    'Hierdie bestelling bestaan nie, of dit is nie joune nie. Maak dit oop met die skakel in jou e-\u2060pos.',
}

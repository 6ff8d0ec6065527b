import type { Words } from './en.ts'
import type { Format } from './format.ts'

const count = (value: unknown) => (typeof value === 'number' ? value : 0)

export function af(format: Format): Words {
  const n = format.number
  const seats = (many: number) => `${n(many)} ${many === 1 ? 'sitplek' : 'sitplekke'}`
  const places = (many: number) => `${n(many)} ${many === 1 ? 'plek' : 'plekke'}`
  const duration = (seconds: number) => {
    if (seconds < 90) return `${n(seconds)} ${seconds === 1 ? 'sekonde' : 'sekondes'}`
    return `${n(Math.round(seconds / 60))} minute`
  }
  return {
    refusals: {
      invalid_request: () =>
        'Dit het nie reg deurgekom nie. Kyk na wat jy ingevul het, of laai die bladsy weer.',
      event_not_available: () => 'Hierdie geleentheid is nie nou te koop nie. Soek ’n ander datum.',
      event_sales_closed: problem =>
        typeof problem.sale_start === 'string' && Date.parse(problem.sale_start) > Date.now()
          ? `Verkope het nog nie begin nie. Dit begin op ${format.dateTime(problem.sale_start)}.`
          : 'Verkope vir hierdie geleentheid is gesluit. Soek ’n ander datum.',
      unauthorized: () => 'Die e-posadres en die wagwoord pas nie bymekaar nie. Probeer weer.',
      forbidden: () => 'Jou rekening mag dit nie doen nie. Meld met ’n ander een aan.',
      account_disabled: () => 'Hierdie rekening is gedeaktiveer. Vra die organiseerder waarom.',
      organization_suspended: () =>
        'Hierdie organiseerder verkoop op die oomblik niks nie. Kaartjies wat jy gekoop het, bly geldig.',
      zone_access_denied: () =>
        'Hierdie plekke is vir lede. Meld met ’n lidmaatskap aan, of kies ’n ander deel.',
      not_found: () => 'Hier is niks nie. Gaan terug na die lys van geleenthede.',
      organization_not_found: () => 'Ons ken geen organiseerder met hierdie naam nie. Kyk weer na die adres.',
      user_not_found: () => 'Hierdie rekening bestaan nie meer nie. Meld met ’n ander een aan.',
      venue_not_found: () => 'Hierdie plek bestaan nie meer nie. Gaan terug na die lys van geleenthede.',
      layout_not_found: () => 'Hierdie saal bestaan nie meer nie. Gaan terug na die lys van geleenthede.',
      event_not_found: () =>
        'Hierdie geleentheid bestaan nie, of nie meer nie. Gaan terug na die lys van geleenthede.',
      zone_not_found: () => 'Hierdie deel hoort nie meer by die geleentheid nie. Laai die bladsy weer.',
      seat_not_found: () => 'Hierdie sitplek hoort nie meer by die geleentheid nie. Laai die bladsy weer.',
      hold_not_found: () => 'Hierdie sitplekke word nie meer vir jou gehou nie. Kies weer.',
      already_exists: () => 'Daar is reeds ’n rekening met hierdie e-posadres. Meld eerder aan.',
      seat_held_by_another_user: problem =>
        `Iemand was ’n oomblik vinniger. Die sitplek is dalk oor ${duration(count(problem.expires_in))} weer vry.`,
      seat_not_available: () => 'Hierdie sitplek is weg. Kies ’n ander een.',
      zone_not_sold: () => 'Hierdie deel is nie vir hierdie geleentheid te koop nie. Kies ’n ander een.',
      zone_at_capacity: problem =>
        count(problem.available) > 0
          ? `Hier is net ${places(count(problem.available))} oor. Vra minder.`
          : 'Hier is niks oor nie. Kies ’n ander deel.',
      layout_frozen: () => 'Die saal kan nie verander terwyl die geleentheid te koop is nie.',
      layout_in_use: () => 'Die saal is in gebruik en kan nie verander nie.',
      invalid_transition: () => 'Dit is nie nou moontlik nie. Laai die bladsy weer.',
      idempotency_key_in_use: () => 'Jou versoek is nog op pad. Wag ’n oomblik.',
      hold_in_payment: () =>
        'Daar word nou vir hierdie sitplekke betaal. Voltooi of kanselleer eers die betaling.',
      hold_expired: () => 'Jou tyd vir hierdie sitplekke is verby. Kies weer as hulle nog vry is.',
      payload_too_large: () => 'Dit was te veel op een slag. Kies minder sitplekke.',
      unsupported_media_type: () => 'Hierdie bladsy is verouderd. Laai dit weer.',
      idempotency_key_reused: () => 'Hierdie bladsy is verouderd. Laai dit weer.',
      layout_invalid: () => 'Daar is foute in die saal. Die organiseerder moet dit regmaak.',
      too_many_seats: problem =>
        `Jy kan hoogstens ${seats(count(problem.limit))} bespreek. Gee een terug om ’n ander te kies.`,
      quota_exceeded: problem =>
        problem.quota === 'max_wheelchair_seats_per_booking'
          ? `Jy kan hoogstens ${n(count(problem.limit))} ${count(problem.limit) === 1 ? 'rolstoelplek' : 'rolstoelplekke'} bespreek. Vra die organiseerder vir meer.`
          : 'Jy het vir eers soveel geneem as wat jy mag. Gee iets terug, of wag ’n bietjie.',
      rate_limited: problem =>
        count(problem.retry_after) > 0
          ? `Dit was baie in ’n kort tyd. Probeer weer oor ${duration(count(problem.retry_after))}.`
          : 'Dit was baie in ’n kort tyd. Wag ’n oomblik en probeer weer.',
      internal_error: () => 'Iets het aan ons kant verkeerd geloop. Niks is bespreek nie; probeer weer.',
      busy: () => 'Baie mense is nou hier. Probeer oor ’n oomblik weer.',
      database_unavailable: () => 'Ons kan vir ’n oomblik nie na sitplekke kyk nie. Probeer binnekort weer.',
    },
    language: 'Taal',
    skip: 'Gaan na die inhoud',
    loading: 'Laai tans …',
    reload: 'Laai weer',
    close: 'Maak toe',
    unreachable: 'Ons kan nie die bediener bereik nie.',
    tryingAgain: 'Ons probeer vanself weer …',
    seats,
    places,
    home: {
      title: 'Kies jou sitplekke',
      explain: 'Elke organiseerder het hier ’n eie adres, soos',
      label: 'Naam van die organiseerder',
      go: 'Maak oop',
      recent: 'Jy was al hier',
    },
    storefront: {
      title: 'Geleenthede',
      none: 'Niks is nou te koop nie. Kom gou weer.',
      left: (left, total) => `${n(left)} van ${n(total)} oor`,
      soldOut: 'Niks oor op die oomblik nie',
      from: when => `Te koop vanaf ${when}`,
      closed: 'Verkope is gesluit',
      choose: 'Kies sitplekke',
      held: many => `${seats(many)} word vir jou gehou`,
      more: 'Nog geleenthede',
      noDate: 'Datum volg nog',
      until: (first, last) => `${first} tot ${last}`,
    },
    event: {
      back: 'Geleenthede',
      map: 'Kaart',
      list: 'Lys',
      view: 'Wys die saal as',
      mapLabel:
        'Kaart van die saal. Pyltjies skuif dit, plus en minus zoem. Alles wat daarop is, is ook in die lys.',
      listLabel: 'Alle dele, rye en sitplekke',
      legend: 'Wat die tekens beteken',
      connecting: 'Kyk watter sitplekke vry is …',
      live: 'Regstreeks',
      offline:
        'Geen verbinding nie. Wat jy sien, is dalk verouderd; jou sitplekke bly gehou vir die tyd wat gewys word.',
      backOnline: 'Weer verbind. Alles is op datum.',
      zoomIn: 'Zoem in',
      zoomOut: 'Zoem uit',
      fit: 'Hele saal',
      free: many => `${n(many)} vry`,
      full: 'Vol',
      ended: 'Die geleentheid is nie meer te koop nie.',
    },
    status: {
      free: 'vry',
      held: 'deur iemand gehou',
      sold: 'verkoop',
      blocked: 'nie te koop nie',
      mine: 'vir jou gehou',
      pending: 'op pad',
    },
    category: {
      standard: 'sitplek',
      wheelchair: 'rolstoelplek',
      companion: 'metgeselsitplek',
      restricted_view: 'beperkte uitsig',
      aisle: 'gangsitplek',
    },
    zoneType: {
      reserved_seating: 'Genommerde sitplekke',
      ga_seated: 'Vrye sitplekke',
      ga_standing: 'Staanplek',
      vip_reserved: 'Lede, genommerde sitplekke',
      vip_standing: 'Lede, staanplek',
    },
    list: {
      row: row => `Ry ${row}`,
      seat: (row, number) => `Ry ${row}, sitplek ${number}`,
      zoneFree: (free, capacity) => `${n(free)} van ${n(capacity)} vry`,
      rowFree: free => (free === 0 ? 'niks vry nie' : `${n(free)} vry`),
      aisle: 'gang',
      onlyFree: 'Net waar iets vry is',
      showOnMap: 'Wys op die kaart',
      noneFree: 'Niks is op die oomblik vry nie.',
    },
    seatCard: {
      section: 'Afdeling',
      row: 'Ry',
      seat: 'Sitplek',
      name: (zone, row, number) => `${zone}, ry ${row}, sitplek ${number}`,
      atAisle: 'langs ’n gang',
      unknown: 'nog nie bekend nie',
      waiting: 'Ons kyk watter sitplekke vry is …',
      waitingOffline: 'Sonder ’n verbinding kan ons nie sien watter sitplekke vry is nie.',
    },
    zone: {
      howMany: 'Hoeveel?',
      fewer: 'Een minder',
      more: 'Nog een',
      take: many => `Hou ${places(many)}`,
      members: 'Hierdie plekke is vir lede.',
      signInFirst: 'Meld aan om hulle te neem.',
      notYours: 'Jou rekening sluit hulle nie in nie.',
      left: many => (many === 0 ? 'Niks oor op die oomblik nie' : `${places(many)} oor`),
    },
    panel: {
      title: 'Jou sitplekke',
      none: 'Nog niks gekies nie. Tik op ’n sitplek op die kaart, of kies een uit die lys.',
      timeLeft: 'Tyd oor',
      heldFor: time => `Nog ${time} vir jou gehou`,
      hurry: 'Nie baie tyd oor nie',
      extend: 'Meer tyd',
      extended: seconds => `Jy het nou ${duration(seconds)}.`,
      noMoreTime: 'Daar is nie meer tyd vir hierdie sitplekke nie.',
      giveBack: 'Gee terug',
      giveBackAll: 'Gee alles terug',
      gaveBack: what => `Teruggegee: ${what}.`,
      show: 'Wys',
      ofMany: (what, zone) => `${zone}: ${what}`,
      soon: seconds => `Nog ${duration(seconds)} vir jou sitplekke.`,
    },
    taken: {
      held: what => `${what} word vir jou gehou.`,
      releasing: what => `${what} word teruggegee.`,
      isHeld: what => `${what} word nou deur iemand anders gehou.`,
      isSold: what => `${what} is verkoop.`,
      isBlocked: what => `${what} is nie te koop nie.`,
      isNearby: 'Naby en vry:',
      takeThese: what => `Neem ${what}`,
      unknown: 'Ons weet nog nie of dit deurgegaan het nie. Ons kyk sodra die verbinding terug is.',
      offline: 'Sonder verbinding kan geen sitplek geneem word nie. Probeer weer as jy terug is.',
    },
    expired: {
      title: 'Jou tyd is verby',
      explain: 'Hierdie is weer te koop:',
      again: 'Probeer weer',
      dismiss: 'Kies ander',
      back: what => `Jy het ${what} terug.`,
    },
    account: {
      guest: 'Meld aan',
      signIn: 'Meld aan',
      signUp: 'Skep ’n rekening',
      signOut: 'Meld af',
      email: 'E-posadres',
      password: 'Wagwoord',
      passwordHint: 'Minstens 8 karakters',
      noAccount: 'Nog geen rekening nie?',
      haveAccount: 'Het jy reeds ’n rekening?',
      signedIn: email => `Jy is aangemeld as ${email}.`,
      signedOut: 'Jy is afgemeld.',
      movedHolds: 'Jou sitplekke het saamgekom.',
      lostHolds: 'Jou sitplekke kon nie saamkom nie: hulle is intussen weg.',
    },
    notFound: {
      title: 'Nie hier nie',
      organization:
        'Ons ken geen organiseerder met hierdie naam nie. Kyk weer na die adres wat jy gekry het.',
      event: 'Hierdie geleentheid bestaan nie, of nie meer nie.',
      page: 'Daar is niks by hierdie adres nie.',
      home: 'Na die voorblad',
    },
  }
}

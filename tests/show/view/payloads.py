"""A hundred texts that would do something where a page took them for more than text.

`HIT` stands in those that run: it would call `window.hit`. `FAR` is an address that would be asked.
"""

HIT, FAR = "window.hit=1", "http://far.example"

# Names and places: at most sixty characters, no slash.
NAMES = [
    f"<img src=x onerror={HIT}>",
    f"'><svg onload={HIT}>",
]
PLACES = [
    f"<iframe srcdoc='<script>{HIT}'>",
    "![kitchen](data:image;x)",
    f"&lt;img src=x onerror={HIT}&gt;",
    "\u2067study\u2069<base href=x>",
]
TITLE = f"</title><script>{HIT}</script><!-- \u202eparty"

_RUN = [
    *("<script>{0}</script>", "<SCRIPT SRC={1}/a.js></SCRIPT>"),
    *("<scr<script>ipt>{0}</scr</script>ipt>", "<img src=x onerror={0}>"),
    *("<img src=`x` onerror={0}>", "<img/src=x/onerror={0}>", "<svg onload={0}>"),
    *("<svg><script>{0}</script></svg>", "<svg><animate onbegin={0} attributeName=x dur=1s>"),
    "<svg><foreignObject><body onload={0}></foreignObject></svg>",
    *("<math><mtext><table><mglyph><style><img src=x onerror={0}>", "<body onload={0}>"),
    "<iframe src=javascript:{0}></iframe>",
    "<iframe srcdoc='<script>parent.{0}</script>'></iframe>",
    *("<object data=javascript:{0}></object>", "<embed src=javascript:{0}>"),
    *("<a href=javascript:{0}>go</a>", "<a href='java\tscript:{0}'>go</a>"),
    *("<form action=javascript:{0}><input type=submit></form>", "<input autofocus onfocus={0}>"),
    *("<details open ontoggle={0}>", "<video><source onerror={0}></video>"),
    *("<audio src=x onerror={0}>", "<marquee onstart={0}>x</marquee>"),
    *("<select autofocus onfocus={0}>", "<textarea autofocus onfocus={0}>"),
    *("<keygen autofocus onfocus={0}>", "<isindex action=javascript:{0} type=image>"),
    "<meta http-equiv=refresh content='0;url=javascript:{0}'>",
    *("<link rel=stylesheet href=javascript:{0}>", "<style>@import '{1}/a.css';</style>"),
    "<style>*{{background:url({1}/b)}}</style>",
    "<div style=\"background:url('{1}/c')\">x</div>",
    *("<div style=width:expression({0})>x</div>", "<base href={1}/>", "<table background={1}/d>"),
    *("<img src={1}/e>", "<img srcset='{1}/f 1x'>", "<picture><source srcset={1}/g></picture>"),
    *("<link rel=prefetch href={1}/h>", "<link rel=dns-prefetch href=//far.example>"),
    *("<a href={1}/i ping={1}/j>x</a>", "<object data={1}/k></object>", "<embed src={1}/l>"),
    *("<iframe src={1}/m></iframe>", "<frameset onload={0}><frame src={1}/n></frameset>"),
    *("<applet code={1}/o></applet>", "<bgsound src={1}/p>"),
    "<template><script>{0}</script></template>",
    "<noscript><p title='</noscript><img src=x onerror={0}>'>",
    *("<xmp><script>{0}</script></xmp>", "<plaintext><script>{0}</script>"),
    *("<!--><script>{0}</script>-->", "<![CDATA[<script>{0}</script>]]>"),
    *("<?xml-stylesheet href='{1}/q'?>", "]]><script>{0}</script>", "--><script>{0}</script>"),
    *("</script><script>{0}</script>", "</textarea><script>{0}</script>"),
    *("</style><script>{0}</script>", "</dialog></main><img src=x onerror={0}>", "'-{0}-'"),
    *('";{0};//', "`${{{0}}}`", "{{{{constructor.constructor('{0}')()}}}}", "${{{0}}}"),
    *("<%= {0} %>", "#{{{0}}}", "{{% import os %}}{{{{ {0} }}}}", "javascript:{0}"),
    *("data:text/html,<script>{0}</script>", "vbscript:msgbox(1)", "![a picture]({1}/r.png)"),
    *("![x](javascript:{0})", "[press]({1}/s)", "[press](javascript:{0})", "<{1}/t>"),
    "[![x]({1}/u.png)]({1}/v)",
    "<img src=data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9d2luZG93LmhpdD0xPg==>",
    *("&#60;img src=x onerror={0}&#62;", "&lt;script&gt;{0}&lt;/script&gt;"),
    *("\\u003cscript\\u003e{0}\\u003c/script\\u003e", "%3Cscript%3E{0}%3C/script%3E"),
    *("\ufe64script\ufe65{0}\ufe64/script\ufe65", "+ADw-script+AD4-{0}+ADw-/script+AD4-"),
    *("\u202e<gmi crs=x rorre no={0}>\u202c", "\u2066\u2067<img src=x onerror={0}>\u2069\u2069"),
    "\u200f\u061c<script>{0}</script>\u200e",
    *("\x1b]0;title\x07\x1b[31m<script>{0}</script>\x1b[0m", "\x00<scr\x00ipt>{0}</scr\x00ipt>"),
    *("a\u2028<script>{0}</script>\u2029b", "\x9b31m<img src=x onerror={0}>"),
    *("\ud83d<script>{0}</script>", "\U000e0001\U000e0041<script>{0}</script>"),
    *("a\u0301\u0316\u0323<b onclick={0}>b</b>", "constructor", "__proto__", "toString"),
    *("hasOwnProperty.{0}", "NaN </pre><script>{0}</script>"),
]
WORDS = [one.format(HIT, FAR) for one in _RUN]
assert len(WORDS) == 100

/** How an exported document looks: on light and dark, on paper, and on a screen of any width. Its hash is in its policy. */
export const HTML_STYLE = `
:root{color-scheme:light dark;--text:#1f2328;--quiet:#59636e;--back:#fff;--box:#f6f8fa;--line:#d1d9e0;--link:#0550ae;--mark:#8250df;--warn:#9a6700}
@media (prefers-color-scheme:dark){:root{--text:#e6edf3;--quiet:#9da7b3;--back:#0d1117;--box:#161b22;--line:#30363d;--link:#79b8ff;--mark:#c297ff;--warn:#e3b341}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:56rem;padding:1.5rem 1rem 4rem;background:var(--back);color:var(--text);font:1rem/1.55 system-ui,-apple-system,"Segoe UI",sans-serif;overflow-wrap:anywhere}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 1rem}
h2{font-size:1.2rem;margin:2.5rem 0 .75rem;padding-top:1rem;border-top:1px solid var(--line)}
h3{font-size:.95rem;margin:1.5rem 0 .5rem}
h1 code,h2 code,h3 code{font-size:.92em}
small{color:var(--quiet);font-size:.85rem;font-weight:400}
ul.facts{margin:.25rem 0;padding:0;list-style:none;color:var(--quiet);font-size:.9rem}
ul.facts li{margin:.15rem 0}
p.label{margin:.75rem 0 .25rem;color:var(--quiet);font-size:.85rem}
p.title{font-weight:700}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.875em}
code{padding:.1em .3em;border-radius:4px;background:var(--box)}
pre{margin:.25rem 0 .75rem;padding:.75rem;border:1px solid var(--line);border-radius:6px;background:var(--box);overflow:auto;max-height:36rem;white-space:pre-wrap;line-height:1.45}
figure{margin:.5rem 0}
figure img{max-width:100%;height:auto;border:1px solid var(--line);border-radius:6px}
.quote{margin:.25rem 0 .75rem;padding:.1rem .9rem;border-left:3px solid var(--line)}
.quote.prompt{border-color:var(--link)}
.quote.answer{border-color:var(--mark)}
.quote.partial{border-color:var(--warn);border-left-style:dashed}
.quote pre{background:var(--box)}
blockquote{margin:.5rem 0;padding-left:.9rem;border-left:3px solid var(--line);color:var(--quiet)}
.table{overflow:auto}
table{border-collapse:collapse}
th,td{padding:.3rem .6rem;border:1px solid var(--line);text-align:left}
.center{text-align:center}
.right{text-align:right}
.raw{white-space:pre-wrap}
a{color:var(--link)}
a:focus-visible,pre:focus-visible,.table:focus-visible{outline:2px solid var(--link);outline-offset:2px}
nav{margin-top:1.25rem}
nav ul{margin:0;padding:0;list-style:none}
nav li{margin:.2rem 0}
hr{border:0;border-top:1px solid var(--line)}
@media print{:root{color-scheme:light;--text:#000;--quiet:#444;--back:#fff;--box:#fff;--line:#999;--link:#000;--mark:#000;--warn:#000}body{max-width:none;padding:0;font-size:.85rem}pre{max-height:none;overflow:visible}h2,h3,p.label{break-after:avoid}figure{break-inside:avoid}}
@media (max-width:30rem){body{padding:1rem .75rem 3rem}pre{padding:.5rem}}
`;

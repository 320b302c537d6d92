"""Awkward delimited texts."""

from __future__ import annotations

from tests.table.awkward.case import Case, numeric

IRIS = "5.1,3.5,1.4,0.2,Iris-setosa\n4.9,3.0,1.4,0.2,Iris-setosa\n7.0,3.2,4.7,1.4,Iris-versicolor\n"
ADULT = (
    "39, State-gov, 77516, Bachelors, <=50K\n50, Self-emp-not-inc, 83311, Bachelors, <=50K\n"
    "38, Private, 215646, HS-grad, <=50K\n53, Private, 234721, ?, >50K\n41, State-gov, 1, HS-grad, >50K\n\n"
)
CAR = (
    "vhigh,vhigh,2,2,small,low,unacc\nvhigh,high,2,2,small,med,unacc\n"
    "high,vhigh,2,4,big,low,acc\nlow,low,3,4,small,low,acc\n"
)
MPG = (
    '18.0   8   307.0      130.0      3504.      12.0   70  1\t"chevrolet chevelle malibu"\n'
    '15.0   8   350.0      165.0      3693.      11.5   70  1\t"buick skylark 320"\n'
    '25.0   4   98.00      ?          2046.      19.0   71  1\t"ford pinto"\n'
)
YEAST = (
    "ADT1_YEAST  0.58  0.61  0.47  0.13  MIT\nADT2_YEAST  0.43  0.67  0.48  0.27  MIT\n"
    "ADT3_YEAST  0.64  0.62  0.49  0.15  NUC\n"
)
NO_HEADER = "no header: the first row looks like data"

TEXTS: dict[str, Case] = {
    "iris without a header": Case(
        IRIS,
        {**numeric(4), "column_5": "nominal"},
        3,
        (f"{NO_HEADER}; columns are called column_1 … column_5 (--header takes it as names)",),
        {"column_1": [5.1, 4.9, 7.0]},
        ".data",
    ),
    "adult: spaces after commas, a blank line at the end": Case(
        ADULT,
        {
            "column_1": "numeric",
            "column_2": "nominal",
            "column_3": "numeric",
            "column_4": "nominal",
            "column_5": "nominal",
        },
        5,
        (NO_HEADER,),
        {"column_4": ["Bachelors", "Bachelors", "HS-grad", None, "HS-grad"]},
        ".data",
    ),
    "car: names only, and they repeat": Case(
        CAR,
        {
            "column_1": "nominal",
            "column_2": "nominal",
            **numeric(2, 3),
            **{f"column_{j}": "nominal" for j in (5, 6, 7)},
        },
        4,
        (NO_HEADER,),
        {"column_7": ["unacc", "unacc", "acc", "acc"]},
        ".data",
    ),
    "wine: numbers only": Case("1,14.23,1.71\n1,13.2,1.78\n2,12.4,2.36\n", numeric(3), 3, (NO_HEADER,), {}, ".data"),
    "auto-mpg: runs of blanks, a tab, quotes": Case(
        MPG,
        {**numeric(8), "column_9": "nominal"},
        3,
        (NO_HEADER,),
        {
            "column_4": [130.0, 165.0, None],
            "column_9": ["chevrolet chevelle malibu", "buick skylark 320", "ford pinto"],
        },
        ".data",
    ),
    "yeast: runs of blanks, a name first": Case(
        YEAST,
        {"column_1": "nominal", **numeric(4, 2), "column_6": "nominal"},
        3,
        (NO_HEADER,),
        {},
        ".data",
    ),
    "housing: blanks before the first field": Case(
        " 0.00632  18.00   2.310  0\n 0.02731   0.00   7.070  0\n 8.98296   0.00  18.100  1\n",
        numeric(4),
        3,
        (NO_HEADER,),
        {"column_3": [2.31, 7.07, 18.1]},
        ".data",
    ),
    "a header over blanks": Case("age  income\n31   1000\n47    900\n", {"age": "numeric", "income": "numeric"}, 2),
    "fixed widths without blanks between them": Case(
        "  5Graz  yes\n 12Linz\n112Bad Ahno\n\n",
        {"column_1": "numeric", "column_2": "nominal", "column_3": "nominal"},
        3,
        (NO_HEADER,),
        {"column_1": [5.0, 12.0, 112.0], "column_2": ["Graz", "Linz", "Bad Ah"], "column_3": ["yes", None, "no"]},
        ".data",
        {"widths": (3, 6, 3)},
    ),
    "fixed widths with a header, lines before it, comments and Windows' line ends": Case(
        "of May\r\nagecityok\r\n# half\r\n 31Grazno\r\n  7Wiën+\r\n",
        {"age": "numeric", "city": "nominal", "ok": "nominal"},
        2,
        (),
        {"age": [31.0, 7.0], "city": ["Graz", "Wiën"], "ok": ["no", "+"]},
        ".txt",
        {"widths": [3, 4, 2], "skip_rows": 1, "comment": "#"},
    ),
    "one column of phrases": Case(
        "red car\nblue bike\nold boat\n", {"red car": "nominal"}, 2, ("do not tell",), {}, ".txt"
    ),
    "a header of years": Case(
        "country,2019,2020,2021\nAT,1.5,2,3\nDE,1,2.5,4\nFR,3,1,2\n",
        {"country": "nominal", "2019": "numeric", "2020": "numeric", "2021": "numeric"},
        3,
        ("only rise (--no-header",),
    ),
    "a header of positions, as pandas writes an array": Case(
        "0,1,2\n0.5,0.25,1\n0.1,0.7,0\n",
        {"0": "numeric", "1": "numeric", "2": "numeric"},
        2,
        ("only rise",),
    ),
    "names that could be either": Case(
        "5,apple\n6,pear\n7,pear\n",
        {"column_1": "numeric", "column_2": "nominal"},
        3,
        ("it could also be names",),
    ),
    "a question mark in the first row": Case(
        "?,a\n1,a\n2,b\n",
        {"column_1": "numeric", "column_2": "nominal"},
        3,
        (NO_HEADER,),
        {"column_1": [None, 1.0, 2.0]},
    ),
    "the target is named in the first row": Case(
        "class,class 2\nclass,a\nother,b\nclass,a\n",
        {"class": "nominal", "class 2": "nominal"},
        3,
        options={"target": "class"},
    ),
    "a header that is said to be data": Case(
        "a,b\nc,d\n", {"column_1": "nominal", "column_2": "nominal"}, 2, options={"header": False}
    ),
    "data that are said to be a header": Case(
        "1,2\n3,4\n", {"1": "numeric", "2": "numeric"}, 1, options={"header": True}
    ),
    "names for a file without a header": Case(
        IRIS,
        {"sl": "numeric", "sw": "numeric", "pl": "numeric", "pw": "numeric", "class": "nominal"},
        3,
        options={"names": ["sl", "sw", "pl", "pw", "class"]},
    ),
    "names for a file with a header": Case(
        "a,b\n1,x\n2,y\n",
        {"age": "numeric", "sex": "nominal"},
        2,
        ("which --names replaces: a, b",),
        options={"names": ["age", "sex"]},
    ),
    "Excel's line of the separator": Case("sep=;\r\na;b\r\n1;x, y\r\n2;z\r\n", {"a": "numeric", "b": "nominal"}, 2),
    "lines before the header": Case(
        "Report of May\n\na,b\n1,x\n2,x\n", {"a": "numeric", "b": "nominal"}, 2, options={"skip_rows": 2}
    ),
    "comments": Case(
        "# of May\na,b\n1,x\n  # half of it\n2,x\n#\n", {"a": "numeric", "b": "nominal"}, 2, options={"comment": "#"}
    ),
    "single quotes": Case(
        "age,menopause\n'40-49','ge 40'\n'50-59','lt''40'\n",
        {"age": "nominal", "menopause": "nominal"},
        2,
        ("single quotes",),
        {"menopause": ["ge 40", "lt'40"]},
    ),
    "apostrophes that are no quotes": Case(
        "name,decade\nO'Hara,'90s\nd'Arc,'80s\n",
        {"name": "nominal", "decade": "nominal"},
        2,
        (),
        {"decade": ["'90s", "'80s"]},
    ),
    "Windows-1252, as asked": Case(
        "name,x\ncafé,1\n€,2\n".encode("cp1252"),
        {"name": "nominal", "x": "numeric"},
        2,
        (),
        {"name": ["café", "€"]},
        options={"encoding": "cp1252"},
    ),
    "UTF-16 with a mark": Case("a,b\n1,ä\n2,ö\n".encode("utf-16"), {"a": "numeric", "b": "nominal"}, 2),
    "any ending with a format": Case(
        "a,b\n1,x\n2,x\n", {"a": "numeric", "b": "nominal"}, 2, ending=".log", options={"format": "csv"}
    ),
}

DATE = "holds dates"
TEXTS |= {
    "ISO dates": Case("day,x\n2024-03-01,1\n2024-12-24,2\n", {"day": "numeric", "x": "numeric"}, 2, (DATE,)),
    "dates of Germany": Case(
        "day;x\n01.03.2024;1,5\n24.12.2024;2\n",
        {"day": "numeric", "x": "numeric"},
        2,
        ("day first", "is numeric: '1,5' is read as 1.5"),
    ),
    "dates of the USA": Case(
        "day,x\n3/1/2024,1\n12/24/2024,2\n", {"day": "numeric", "x": "numeric"}, 2, ("month first",)
    ),
    "dates with slashes, the year first": Case("day\n2024/03/01\n2024/12/24\n", {"day": "numeric"}, 2, ("year first",)),
    "dates with names of months": Case(
        "day,x\n3 Mar 2024,1\n24 Dec 2024,2\n", {"day": "numeric", "x": "numeric"}, 2, (DATE,)
    ),
    "points in time": Case(
        "at,x\n2024-03-01T12:00:00Z,1\n2024-03-02T00:00:00Z,2\n",
        {"at": "numeric", "x": "numeric"},
        2,
        (DATE,),
        {"at": [19783.5, 19784.0]},
    ),
    "dates that two rules fit": Case(
        "day,x\n3/4/2024,1\n5/6/2024,2\n",
        {"day": "nominal", "x": "numeric"},
        2,
        ("may have the day or the month first; say --dates dmy or --dates mdy",),
    ),
    "dates without a header": Case(
        "2024-03-01,a\n2024-12-24,a\n2023-01-01,b\n",
        {"column_1": "numeric", "column_2": "nominal"},
        3,
        (NO_HEADER, DATE),
    ),
    "prices and shares": Case(
        'price,share,n\n"$1,002.59",11.1%,"7,325"\n$5.00,7%,12\n"-$3.50",0.5%,"1,000"\n',
        {"price": "numeric", "share": "numeric", "n": "numeric"},
        3,
        ("'$1,002.59' is read as ", "11.1%", "7,325"),
        {"price": [1002.59, 5.0, -3.5], "share": [11.1, 7.0, 0.5], "n": [7325.0, 12.0, 1000.0]},
    ),
    "decimal commas and points between thousands": Case(
        "x;y\n1.002,59 €;a\n7,50 €;a\n",
        {"x": "numeric", "y": "nominal"},
        2,
        ("is read as 1002.59",),
        {"x": [1002.59, 7.5]},
    ),
    "commas that may be either": Case(
        "x;y\n1,234;a\n7,325;a\n", {"x": "nominal", "y": "nominal"}, 2, ("may have decimals or thousands",)
    ),
    "a price as the target": Case(
        'x,price\n1,$512\n2,"$1,250.50"\n',
        {"x": "numeric", "price": "numeric"},
        2,
        ("'$512' is read as ",),
        {"price": [512.0, 1250.5]},
        options={"target": "price"},
    ),
    "few whole prices as the target are classes": Case(
        "x,price\n1,$5\n2,$7\n", {"x": "numeric", "price": "nominal"}, 2, options={"target": "price"}
    ),
    "two currencies": Case("x,y\n$5,a\n€7,a\n", {"x": "nominal", "y": "nominal"}, 2),
    "prices as names, as asked": Case(
        "x,y\n$5,1\n$7,2\n", {"x": "nominal", "y": "numeric"}, 2, options={"nominal": ["x"]}
    ),
    "prices as numbers, as asked": Case(
        "x,y\n$5,1\n$7,2\n", {"x": "numeric", "y": "numeric"}, 2, ("is numeric: '$5'",), options={"numeric": ["x"]}
    ),
}

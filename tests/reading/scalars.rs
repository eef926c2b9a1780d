//! Numbers and literals: every form, every broken one, and what is glued to them.

use super::agreement::{agree, is_faulty_at, is_json};
use super::text::{BLOCK, laid};

const BEHIND: &[&str] = &["}]", " }]", r#","b":2}]"#, "\n,\"b\":2}]"];

#[test]
fn every_form_of_a_number_is_read_wherever_it_starts() {
    for sign in ["", "-"] {
        for integer in ["0", "7", "10", "123456789012345678901234567890"] {
            for fraction in ["", ".0", ".50", ".00000000000000000001"] {
                for exponent in ["", "e0", "E5", "e+05", "E-12", "e99999"] {
                    let number = format!("{sign}{integer}{fraction}{exponent}");
                    for place in 0..BLOCK {
                        let behind = BEHIND[place % BEHIND.len()];
                        is_json(&laid(place, r#"[{"a":"#, &format!("{number}{behind}")));
                    }
                }
            }
        }
    }
}

#[test]
fn numbers_are_read_in_lists_and_alone() {
    for number in ["0", "-0", "12", "-1.5", "1e5", "0.1E-2"] {
        for place in 0..BLOCK {
            is_json(&laid(
                place,
                r#"[{"a":["#,
                &format!("{number},{number} , {number}]}}]"),
            ));
            is_json(&laid(place, "", number));
            is_json(&laid(place, "", &format!("{number} ")));
            is_json(&laid(place, "[", &format!("{number}]")));
        }
    }
}

#[test]
fn whatever_digits_signs_points_and_exponents_make_is_told_apart() {
    const CHARACTERS: &[u8] = b"012-+.eE";
    for length in 1..=5 {
        for mut index in 0..CHARACTERS.len().pow(length) {
            let mut word = String::new();
            for _ in 0..length {
                word.push(char::from(CHARACTERS[index % CHARACTERS.len()]));
                index /= CHARACTERS.len();
            }
            agree(&format!(r#"[{{"a":{word}}}]"#));
            let place = BLOCK - 1 - word.len() % 4;
            agree(&laid(
                place,
                r#"[{"a":"#,
                &format!("{word} ,\"b\":[{word}]}}]"),
            ));
            agree(&word);
        }
    }
}

#[test]
fn broken_numbers_are_faults_wherever_they_stand() {
    let broken = [
        "00",
        "01",
        "-01",
        "-00",
        "-",
        "--1",
        "+1",
        "+",
        ".5",
        "-.5",
        ".",
        "1.",
        "-1.",
        "0.",
        "1.e5",
        "1.E+5",
        "1e",
        "1E",
        "1e+",
        "1e-",
        "1e+-5",
        "1ee5",
        "1e5e5",
        "1e5.5",
        "1.2.3",
        "1..2",
        "0x10",
        "0b1",
        "1_000",
        "1,000.",
        "1a",
        "1f",
        "1n",
        "1L",
        "1.5f",
        "1-",
        "1+1",
        "0-1",
        "1e5-",
        "0e",
        "0.e1",
        "-e1",
        "e1",
        "E5",
        "1\u{0}",
        "1\u{c}",
        "1\u{1a}",
        "1\\",
        "1/2",
        "1%",
        "1e\u{0}",
        "1.\u{0}",
        "-\u{0}",
        "NaN",
        "nan",
        "-NaN",
        "Infinity",
        "-Infinity",
        "inf",
        "-inf",
        "\u{661}",
        "\u{ff11}",
        "1\u{661}",
        "1.\u{661}",
        "-\u{ff11}",
        "1\u{a0}",
        "1\u{feff}",
        "\u{2212}1",
        "1 2",
        "1 .5",
        "- 1",
        "1. 5",
        "1e 5",
        "1 e5",
        "1true",
        "1null",
        "1\"\"",
        "1[]",
        "1{}",
        "\"\"1",
        "[]1",
        "{}1",
        "true1",
        "null1",
        "1:",
        "1]",
        "'1'",
    ];
    for broken in broken {
        for place in 0..BLOCK {
            for behind in BEHIND {
                agree(&laid(place, r#"[{"a":"#, &format!("{broken}{behind}")));
            }
            agree(&laid(place, r#"[{"a":["#, &format!("{broken}]}}]")));
            agree(&laid(place, r#"[{"a":"#, broken));
            agree(&laid(place, "", broken));
        }
    }
}

#[test]
fn a_number_of_any_length_is_kept_and_counted() {
    for length in (0..=200).chain([100_000]) {
        let digits = "9".repeat(length);
        for number in [
            format!("1{digits}"),
            format!("-1{digits}"),
            format!("0.1{digits}"),
            format!("1e1{digits}"),
            format!("1{digits}.1{digits}E-1{digits}"),
        ] {
            let text = format!(r#"[{{"a":{number},"b":[{number}]}}]"#);
            is_json(&text);
            let end = r#"[{"a":"#.len() + number.len();
            for glued in ["x", "-", "\"", "[", "{", ".", "\u{e9}", "\u{c}", "\\"] {
                let text = format!("{}{glued}{}", &text[..end], &text[end..]);
                let is_point = glued == "." && !number.contains(['.', 'e', 'E']);
                is_faulty_at(&text, if is_point { end + 1 } else { end });
            }
            is_faulty_at(&text[..end], end);
            is_faulty_at(&format!("[{}", &number.replace('1', "01")), {
                let one = number.find('1').expect("it is there");
                let leads = one == 0 || number.as_bytes()[one - 1] == b'-';
                1 + if leads {
                    one + 1
                } else {
                    number.len() + number.matches('1').count()
                }
            });
        }
    }
}

#[test]
fn literals_are_read_wherever_they_start() {
    for literal in ["true", "false", "null"] {
        for place in 0..BLOCK {
            for behind in BEHIND {
                is_json(&laid(place, r#"[{"a":"#, &format!("{literal}{behind}")));
            }
            is_json(&laid(
                place,
                r#"[{"a":["#,
                &format!("{literal},{literal} ,{literal}]}}]"),
            ));
            is_json(&laid(place, "", literal));
        }
    }
}

#[test]
fn misspelt_literals_are_faults_wherever_they_stand() {
    for literal in ["true", "false", "null"] {
        let mut broken: Vec<String> = Vec::new();
        for at in 0..literal.len() {
            let (before, rest) = literal.split_at(at);
            let after = &rest[1..];
            broken.push(before.to_owned());
            broken.push(format!("{before}{after}"));
            for other in [
                "x", "T", "\"", " ", "}", "1", "\u{0}", "\u{c}", "\\", "\u{e9}",
            ] {
                broken.push(format!("{before}{other}{after}"));
                broken.push(format!("{before}{other}{rest}"));
            }
            broken.push(format!("{before}{}{after}", rest[..1].to_uppercase()));
        }
        for glued in [
            "e", "x", "1", "-", ".", "_", "\"", "\"\"", "[]", "{}", "true", "null", "\u{0}",
            "\u{c}", "\u{1a}", "\u{e9}", "\u{a0}", "\\", "/", "'",
        ] {
            broken.push(format!("{literal}{glued}"));
        }
        for broken in &broken {
            for place in 0..BLOCK {
                let behind = BEHIND[place % BEHIND.len()];
                agree(&laid(place, r#"[{"a":"#, &format!("{broken}{behind}")));
                agree(&laid(place, r#"[{"a":["#, broken));
            }
        }
    }
    for word in [
        "undefined",
        "None",
        "True",
        "TRUE",
        "nil",
        "t",
        "f",
        "n",
        "NULL",
        "yes",
        "'a'",
        "`a`",
        "/**/1",
        "//\n1",
        "#",
        "a:1",
    ] {
        for place in 0..BLOCK {
            agree(&laid(place, r#"[{"a":"#, &format!("{word}}}]")));
            agree(&laid(place, "", word));
        }
    }
}

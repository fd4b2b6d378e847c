"""Usual first names, and nouns, that say whether a person is a woman or a man where the text says nothing else."""

from __future__ import annotations

WOMAN, MAN = "woman", "man"


def _sexes(women: str, men: str) -> dict[str, str]:
    return dict.fromkeys(women.split(), WOMAN) | dict.fromkeys(men.split(), MAN)


ENGLISH_NAMES = _sexes(
    "Ada Agnes Alice Amelia Amy Ann Anna Anne Annie Beatrice Beth Betsy Betty Caroline Catherine "
    "Charlotte Clara Dora Dorothy Edith Eleanor Eliza Elizabeth Ellen Emily Emma Esther Ethel Eva Fanny "
    "Flora Frances Grace Hannah Harriet Helen Henrietta Isabel Isabella Jane Jenny Jessie Julia Kate "
    "Laura Lizzie Louisa Lucy Lydia Mabel Margaret Maria Marian Martha Mary Matilda Maud Meg Mildred "
    "Molly Nancy Nelly Polly Rachel Rebecca Rose Ruth Sally Sara Sarah Sophia Sophy Susan Sybil Ursula "
    "Winifred",
    "Adam Albert Alfred Andrew Anthony Arthur Basil Ben Benjamin Bertram Bill Bob Charles Charlie "
    "Christopher Daniel David Dick Edgar Edmund Edward Edwin Ernest Francis Frank Fred Frederick Gabriel "
    "Geoffrey George Gilbert Harold Harry Henry Herbert Hugh Isaac Jack Jacob James Jasper Jeremy Jim Joe "
    "John Jonathan Joseph Lawrence Leonard Luke Mark Martin Matthew Maurice Michael Nathaniel Ned "
    "Nicholas Oliver Oscar Oswald Patrick Paul Peter Philip Ralph Richard Robert Roger Roland Sam Samuel "
    "Sidney Silas Simon Stephen Theodore Thomas Tim Tom Walter Wilfred Will William",
)
GERMAN_NAMES = _sexes(
    "Agnes Anna Anne Antonie Bertha Brigitte Charlotte Clara Dorothea Elisabeth Elsa Emma Erna Eva Frieda "
    "Gerda Grete Gretel Gretchen Hedwig Helene Hertha Hulda Ida Ilse Johanna Julia Käthe Klara Lene Leni "
    "Lina Lotte Louise Luise Magdalena Margarete Maria Marie Martha Minna Olga Rosa Sophie Therese Trude "
    "Ursula",
    "Albert Anton August Bruno Christian Emil Erich Ernst Ferdinand Franz Friedrich Fritz Georg Gregor "
    "Gustav Hans Heinrich Hermann Hugo Jakob Johann Josef Joseph Karl Konrad Kurt Leopold Ludwig Martin "
    "Max Moritz Oskar Otto Paul Peter Reinhard Richard Robert Rudolf Siegfried Theodor Thomas Ulrich "
    "Walter Werner Wilhelm Wolfgang",
)
FRENCH_NAMES = _sexes(
    "Adèle Alice Amélie Anne Antoinette Berthe Blanche Caroline Catherine Cécile Charlotte Claire Colette "
    "Denise Élisabeth Élise Emma Eugénie Félicité Françoise Geneviève Germaine Hélène Hortense Isabelle "
    "Jeanne Joséphine Julie Juliette Léonie Louise Lucie Madeleine Marguerite Marie Marthe Mathilde "
    "Pauline Renée Rosalie Rose Sophie Suzanne Thérèse Valentine Virginie",
    "Albert Alphonse André Antoine Armand Auguste Bernard Charles Denis Edmond Émile Ernest Étienne "
    "Eugène Félix Ferdinand François Frédéric Gaston Georges Guillaume Gustave Guy Henri Hippolyte "
    "Jacques Jean Jérôme Joseph Jules Julien Laurent Léon Louis Lucien Marcel Marius Martin Maurice "
    "Michel Nicolas Octave Paul Philippe Pierre Raoul Raymond René Robert Roger Victor Vincent Xavier",
)
SPANISH_NAMES = _sexes(
    "Ana Antonia Beatriz Carmen Catalina Clara Dolores Elena Elvira Emilia Francisca Gloria Inés Isabel "
    "Josefa Juana Julia Laura Leonor Lucía Luisa Luz Magdalena Manuela Margarita María Marta Mercedes "
    "Paca Pilar Rosa Rosario Teresa Victoria",
    "Agustín Alberto Alfonso Alonso Andrés Ángel Antonio Carlos Diego Domingo Enrique Esteban Felipe "
    "Fernando Francisco Gabriel Gonzalo Ignacio Jaime Javier Jerónimo Joaquín Jorge José Juan Julián "
    "Lorenzo Lucas Luis Manuel Marcos Martín Miguel Nicolás Pablo Pedro Pepe Rafael Ramón Ricardo Rodrigo "
    "Salvador Santiago Sebastián Tomás Vicente",
)
# English ones are the ROLES of `people.py`.
NOUNS = _sexes(
    "frau mädchen bäuerin müllerin königin mutter schwester tochter dame femme fille vieille reine mère "
    "sœur hija mujer niña muchacha vieja reina madre hermana señora женщина девочка девушка старуха "
    "старушка королева мать сестра дочь дама княгиня графиня",
    "mann junge knabe bauer müller könig vater bruder sohn herr homme garçon vieillard roi père frère "
    "fils mari hombre niño muchacho viejo rey padre hermano hijo мужчина мальчик старик король отец брат "
    "сын князь граф",
)
